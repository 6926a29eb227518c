"""The outer loop, which depends on no model, file or terminal."""
