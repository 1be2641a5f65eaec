"""The text of a model: read to expressions, changed, written and typeset."""
