"""Commands on curves through the data, and fits along them."""
