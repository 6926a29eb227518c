"""Going on with runs that were made before: what their records may decide, and what is taken from them."""
