"""Estimation: what is fitted to what."""
