"""The spine of a conversation: the environment, the dialogue, and what ties them together."""
