"""The use cases: make, resume, read, report, export and verify runs."""
