"""What a judge model is asked of claims and outputs, and how its verdicts are read."""
