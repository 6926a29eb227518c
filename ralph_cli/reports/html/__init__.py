"""The evidence report as one HTML file."""
