"""What a memo says held against the documents that it quotes."""
