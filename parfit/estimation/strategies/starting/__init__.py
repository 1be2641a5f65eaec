"""Searches from many places: numbered starts, what was found from them, and the way from model and data to the answer."""
