"""One adapter per vendor, and what adapters share: the HTTP client, the faults, the strict form of schemas."""
