"""The loop as a library, for any execute function and any scorers."""
