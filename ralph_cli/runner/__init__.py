"""The loop as a library: any execute function, any scorers."""
