"""Hard rules for the output of a task: its shape, its schema, its quotations."""
