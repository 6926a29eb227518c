"""What a claim's quantities rest on: its own quotes, their table headers, a calculation."""
