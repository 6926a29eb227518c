"""Models of several vendors as `core.model.Model`: from a name to a model, and vendor-independent wrappers."""
