"""Models of several vendors behind `core.model.Model`: one adapter a vendor, and wrappers that know no vendor."""
