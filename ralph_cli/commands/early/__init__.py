"""What is answered before the command line is loaded, which takes longer than these answers."""
