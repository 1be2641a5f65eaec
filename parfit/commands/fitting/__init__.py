"""Commands that integrate and fit."""
