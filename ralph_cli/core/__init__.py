"""The vocabulary of ralph: values and errors that every other package speaks in."""
