"""From Python: problems as values, what can be done with them, and the conversation itself; above commands in rank."""
