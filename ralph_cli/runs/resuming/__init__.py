"""Continues earlier runs: what their records may decide, and what is taken from them."""
