"""Mails, and web pages that were saved as one."""
