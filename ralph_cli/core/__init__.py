"""The vocabulary of ralph: the values and errors that all other packages use."""
