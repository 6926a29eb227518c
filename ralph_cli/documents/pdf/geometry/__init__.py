"""Where the words of a PDF page stand to each other: lines, rows, columns, tables."""
