"""OpenDocument files: texts, spreadsheets and presentations (OASIS OpenDocument 1.3, part 3)."""
