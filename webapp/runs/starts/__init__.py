"""Starts and stops: possible start positions, the state that the last run kept, and the requests themselves."""
