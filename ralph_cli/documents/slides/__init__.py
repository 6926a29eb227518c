"""Presentations: each slide is a page, its shapes in the order in which they are read."""
