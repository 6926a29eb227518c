"""The composition root: it makes models, sandbox, checks and modes from settings. Only this room imports all others."""
