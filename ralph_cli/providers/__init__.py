"""Models of several vendors behind `core.model.Model`: from a name to a model, and wrappers that know no vendor."""
