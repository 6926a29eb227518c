"""Checks a recorded run again on its document, without a model."""
