"""Tests of bindings: created, changed, composed, deleted."""
