"""Compares a memo's quotations and figures with the documents that it quotes."""
