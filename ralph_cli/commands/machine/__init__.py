"""Commands about this machine and what it can reach."""
