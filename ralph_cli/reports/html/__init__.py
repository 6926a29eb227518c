"""Renders the evidence report as one HTML file."""
