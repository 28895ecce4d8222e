"""Inputs and outputs of streams: one folder for each adapter. Arrow in and out, no pyspark."""
