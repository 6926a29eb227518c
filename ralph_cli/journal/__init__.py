"""The record of a run: an SQLite journal, and the readable traces written from it."""
