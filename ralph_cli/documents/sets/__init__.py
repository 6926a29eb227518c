"""Several documents as one: finds files, loads them in parallel, and joins them into one text."""
