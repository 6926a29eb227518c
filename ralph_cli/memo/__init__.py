"""Checking a memo: the words it quotes, the pages it names for them, and whether they are there."""
