"""Word documents as text."""
