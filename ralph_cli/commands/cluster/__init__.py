"""`ralph worker` and `ralph queue`: fill tables on many machines."""
