"""Puts the same questions to many documents, and keeps a matrix of answers with their proofs."""
