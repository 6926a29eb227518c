"""Renders the report on a checked memo in each format."""
