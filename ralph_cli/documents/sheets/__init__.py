"""Spreadsheets: each sheet is a page of rows, and each cell stands there as its number format shows it."""
