"""The quotations and page references of a memo, found in its text."""
