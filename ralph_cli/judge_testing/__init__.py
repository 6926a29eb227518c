"""A test of the judge: true claims, and the same made false by code."""
