"""What a person at a terminal sees of a run: the progress while it lasts, the result at its end."""
