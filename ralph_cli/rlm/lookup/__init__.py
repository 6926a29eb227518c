"""Guest code: the look-up functions that every worker finds in its sandbox. It runs there, never here.

The sources are sent one after the other, without their imports of each other, so no two of them share a name.
"""
