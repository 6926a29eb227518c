"""Finds places in a document's text by words, patterns and numbers of parts."""
