"""Commands that serve until you stop them."""
