"""Tests of the operator stages."""
