"""Where things are in a document: quotes, passages, and what each stands in."""
