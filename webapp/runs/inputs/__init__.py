"""What the inputs of a binding read: resolved, checked, and what they leave on other servers."""
