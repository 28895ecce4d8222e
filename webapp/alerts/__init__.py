"""Alerts: rules on bindings, their states, and notifications over channels."""
