"""How the text of a Word document is formatted, as far as that decides what a reader sees."""
