"""What differs between the languages of documents."""
