"""A run on disk: its journal, copies of what it read, its other files; past runs, and what is kept of them."""
