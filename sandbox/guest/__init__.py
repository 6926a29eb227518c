"""What runs in the sandbox's worker beside the snippets; sent there as source, and the same for every engine.

It imports nothing but the standard library and its own modules, each of which imports those before it alone.
"""

MODULES = ("touched", "probes", "names", "reports", "stand_ins", "moment", "queries", "together", "ahead", "session")
"""The modules, in the order in which they are loaded."""
