"""Renders a table of answers as files for people and programs."""
