"""What all office formats share: archives of parts with their XML, charts, and the text that is made of them."""
