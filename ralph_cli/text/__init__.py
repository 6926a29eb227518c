"""Pure functions on text: letters, words, sentences, figures and languages."""
