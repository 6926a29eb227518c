"""Records runs: an SQLite journal, and the readable traces written from it."""
