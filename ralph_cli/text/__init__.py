"""Letters, words, figures and tables in text: pure functions."""
