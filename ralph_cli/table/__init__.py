"""Asks the same questions about many documents, and keeps a matrix of answers with their proofs."""
