"""PDF documents as text, with the position of each character on its page."""
