"""The structure of a document: its parts, tables and sentences, found in its text if its format does not mark them."""
