"""Renders runs for people and programs."""
