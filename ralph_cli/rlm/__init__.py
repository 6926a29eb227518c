"""The inner loop: a model explores the document by writing Python, until it submits a draft."""
