"""What is seen while something runs: the moving fit, bars, keys."""
