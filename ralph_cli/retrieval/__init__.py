"""Finds quotes and passages in a document, and their context."""
