"""The case book: every published experiment as a session that can be read, played and checked."""
