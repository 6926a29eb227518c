"""What letters, words and tables are, in pure functions on text."""
