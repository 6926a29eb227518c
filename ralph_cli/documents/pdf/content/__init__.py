"""What a reader of a PDF page sees that its own text does not say, or says otherwise."""
