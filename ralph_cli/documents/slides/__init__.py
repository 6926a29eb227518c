"""Presentations: each slide is a page, with its shapes in reading order."""
