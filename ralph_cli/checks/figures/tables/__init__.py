"""What the tables of a document say of the figures in them."""
