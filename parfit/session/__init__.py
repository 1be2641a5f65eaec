"""The spine of a conversation: the environment, the dialogue, the journal, and what ties them together."""
