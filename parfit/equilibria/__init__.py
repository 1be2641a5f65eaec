"""Where the equations come to rest, and whether that attracts. Imports simulation and below."""
