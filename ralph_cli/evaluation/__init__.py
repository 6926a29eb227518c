"""Evaluations: puts questions whose answers are known to `ralph qa`, and scores the results."""
