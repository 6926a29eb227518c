"""Books: each chapter a page, in the order in which they are read."""
