"""Reads text from pictures of pages with the program tesseract."""
