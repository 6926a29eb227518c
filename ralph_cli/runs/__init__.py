"""The use cases: a run made, resumed, read back, reported, exported, verified."""
