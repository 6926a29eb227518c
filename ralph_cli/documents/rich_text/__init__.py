"""Rich Text Format files (rtf)."""
