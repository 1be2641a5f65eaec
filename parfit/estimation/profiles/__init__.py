"""Likelihood profiles: how far a quantity can move while everything else follows it. Imports what estimation has."""
