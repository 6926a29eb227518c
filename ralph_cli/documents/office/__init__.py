"""Code shared by all office formats: archives of parts with their XML, number formats, charts, and texts."""
