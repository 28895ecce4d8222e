"""Tests of the formats that adapters share."""
