"""Tests of types and of strict reading."""
