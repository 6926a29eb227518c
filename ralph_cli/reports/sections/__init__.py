"""Parts of a report that several formats share."""
