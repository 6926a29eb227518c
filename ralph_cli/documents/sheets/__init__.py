"""Spreadsheets: each sheet is a page of rows, with each cell as its number format shows it."""
