"""Text files, Markdown and source code."""
