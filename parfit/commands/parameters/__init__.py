"""Commands on parameters."""
