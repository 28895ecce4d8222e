"""Channels: the kinds of places for notifications, one module each with its options and its request."""
