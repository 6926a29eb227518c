"""The inner loop: a model explores the document by writing Python, until it hands in a draft."""
