"""Text that is read off pictures of pages by the program tesseract."""
