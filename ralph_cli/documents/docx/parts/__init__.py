"""The archive of a Word document, part by part."""
