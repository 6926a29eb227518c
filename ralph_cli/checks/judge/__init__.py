"""The questions to judge models about claims and outputs, and how their verdicts are read."""
