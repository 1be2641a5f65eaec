"""Commands on the session itself."""
