"""Commands that say how things are done."""
