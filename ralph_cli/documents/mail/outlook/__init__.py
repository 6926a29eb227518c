"""Mails and other items as Outlook saves and sends them."""
