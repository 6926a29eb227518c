"""The outer loop: it knows no model, no file and no terminal."""
