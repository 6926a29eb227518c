"""Checking somebody's memo: which words it quotes, from which pages, and whether they are there."""
