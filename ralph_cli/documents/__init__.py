"""Documents: reading files into one immutable text, and finding quotes in it."""
