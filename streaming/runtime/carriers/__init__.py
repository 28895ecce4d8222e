"""Carriers of a runner: the shared one, those of dedicated and slow bindings, and the place of each binding."""
