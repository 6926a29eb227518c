"""What is compiled when it is first used: an import that compiles what it will not need takes long."""
