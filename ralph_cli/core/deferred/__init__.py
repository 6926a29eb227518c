"""What is imported when it is first used: an SDK makes thousands of classes of which a run needs few."""
