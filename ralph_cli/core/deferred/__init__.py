"""What is compiled or imported when it is first used: to make what is not needed takes long."""
