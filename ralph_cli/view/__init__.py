"""Local pages that show runs and tables in a browser."""
