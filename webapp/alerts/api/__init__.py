"""Requests and responses of the API about alerts."""
