"""Quotes looked up in a document's text."""
