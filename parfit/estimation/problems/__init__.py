"""Least-squares problems, one a file: each gives residuals and Jacobian at a point."""
