"""What is changed about a problem: the errors of its observations, and what is known of its parameters."""
