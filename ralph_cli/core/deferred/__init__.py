"""Defers imports until their first use, because an SDK creates thousands of classes and a run needs few."""
