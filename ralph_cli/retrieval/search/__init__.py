"""Places in a document's text that speak of something."""
