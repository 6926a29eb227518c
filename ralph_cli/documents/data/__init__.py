"""Files that programs write for programs: notebooks, tables of values, objects."""
