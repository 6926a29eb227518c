"""The composition root:

it builds models, sandbox, checks and modes from settings, and alone depends on all packages.
"""
