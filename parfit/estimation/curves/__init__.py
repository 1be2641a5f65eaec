"""Curves through observations: smoothed, guessed, and sampled at times."""
