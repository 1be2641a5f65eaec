"""What a Jacobian and residuals tell: minima, statistics, bands, and what would help."""
