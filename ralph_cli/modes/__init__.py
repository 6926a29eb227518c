"""The modes qa, task and goal: the parts in which they differ. All use the same loop."""
