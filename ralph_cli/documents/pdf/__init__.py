"""PDF documents as text, with the place of each character on its page."""
