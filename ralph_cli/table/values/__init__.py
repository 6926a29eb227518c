"""The typed value of an answer, read from its words by code."""
