"""The values of what was found: a checked memo, a goal's state, a verification."""
