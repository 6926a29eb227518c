"""Checks of an attempt, the cheap ones first. Without evidence nothing passes."""
