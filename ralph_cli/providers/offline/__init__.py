"""The engine that needs no key: it finds and quotes passages by word statistics."""
