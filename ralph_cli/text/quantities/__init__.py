"""Figures, units, currencies, dates and periods as they are written in text."""
