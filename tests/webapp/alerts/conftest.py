"""Fixtures of the tests of alerts."""

from tests.webapp.alerts.scripted import scripted

__all__ = ["scripted"]
