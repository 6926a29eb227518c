"""The sources of a claim's quantities: its quotes, the headers of their tables, and calculations."""
