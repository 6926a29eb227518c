"""Code that runs in the worker beside the snippets. It is sent there as source, the same for every engine.

It imports only the standard library and its own modules, each of which imports only those before it.
"""

# The modules, in the order of loading.
MODULES = ("touched", "probes", "names", "reports", "stand_ins", "moment", "queries", "together", "ahead", "session")
