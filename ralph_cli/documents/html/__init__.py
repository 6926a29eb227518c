"""HTML documents as text."""
