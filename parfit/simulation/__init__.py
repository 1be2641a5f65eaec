"""Solutions of the equations with their sensitivities: the method, the simulator, and why one stopped."""
