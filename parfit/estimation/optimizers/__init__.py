"""What minimizes a problem, one method a file."""
