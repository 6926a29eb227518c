"""What a command line may say: the options of the settings, those that several commands share, and files to write."""
