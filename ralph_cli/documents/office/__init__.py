"""What all office formats share: archives of parts with their XML, number formats, charts, and the text of it all."""
