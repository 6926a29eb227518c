"""Parsers in a process of their own, within bounds of time and memory."""
