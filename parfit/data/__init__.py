"""What was observed: observations, and the files they come from. Imports the model."""
