"""What a Jacobian and residuals tell: rank, minima, statistics, bands, and what would help."""
