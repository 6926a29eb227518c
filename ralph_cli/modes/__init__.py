"""What differs between qa, task and goal; the loop is the same for all."""
