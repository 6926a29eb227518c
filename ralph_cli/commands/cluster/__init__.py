"""`ralph worker` and `ralph queue`: tables that many machines fill."""
