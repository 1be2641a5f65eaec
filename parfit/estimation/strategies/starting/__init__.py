"""Searches from many places: numbered starts, what was found from them, and AUTO's way to the answer."""
