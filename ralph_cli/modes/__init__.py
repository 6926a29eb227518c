"""The modes qa, task and goal: what differs between them. The loop is the same for all."""
