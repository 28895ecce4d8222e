"""The time simulator over HTTP, in a limited process."""
