"""Style sheets, resolved for each element of a page."""
