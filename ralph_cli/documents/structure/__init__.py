"""How a document is built: its parts, tables and sentences, read off its text where its format does not say."""
