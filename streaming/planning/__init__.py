"""From a checked graph to the plan that reference, engine and explanations use; pure, without Arrow."""
