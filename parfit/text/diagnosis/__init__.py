"""How far a fit can be trusted, in words and tables: judgements, statistics, probes; imports only text/ beside it."""
