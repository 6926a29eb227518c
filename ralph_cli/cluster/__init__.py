"""Fills a table on many machines, which share a PostgreSQL database and a store of files."""
