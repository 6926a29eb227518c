"""Local pages on which a person looks at runs and tables in a browser."""
