"""Several documents as one: files are found, loaded side by side, and joined into one text."""
