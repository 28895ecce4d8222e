"""From a checked graph to the plan that reference, engine and explanations take; pure, without Arrow."""
