"""The values of results: a checked memo, a goal's state, a verification, a table, a test of the judge."""
