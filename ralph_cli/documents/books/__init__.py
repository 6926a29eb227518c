"""Books: each chapter is a page, in reading order."""
