"""The sources of a claim's quantities: its own quotes, their table headers, calculations."""
