"""The versions of ralph and of its records."""

__version__ = "0.2.0"

# Version of the event format, written with every run. Records of older versions can be read, too. 2: events are
# chained in a journal; calls have an ordinal; variables that are read; a goal carries nothing over.
SCHEMA_VERSION = 2
