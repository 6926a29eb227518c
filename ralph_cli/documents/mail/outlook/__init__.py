"""What Outlook saves: mails in compound files (msg)."""
