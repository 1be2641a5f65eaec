"""A model under the conditions of several experiments: what differs, one model for each, all of them as one."""
