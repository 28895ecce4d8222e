"""The audit log: events with actor, target and state, which are written and never changed."""
