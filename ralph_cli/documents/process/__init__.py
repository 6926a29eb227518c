"""Runs parsers in their own processes, with limits on time and memory."""
