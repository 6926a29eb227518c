"""The differences between the languages of documents."""
