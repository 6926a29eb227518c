"""Judges of an attempt, cheap before dear; no evidence is no."""
