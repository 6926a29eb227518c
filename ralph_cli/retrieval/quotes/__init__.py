"""Looks up quotes in a document's text."""
