"""Residuals, noise models and priors as a likelihood: shapes, rows, estimates. Imports simulation and below."""
