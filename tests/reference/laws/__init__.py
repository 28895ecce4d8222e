"""The laws of TEMPORAL.md on drawn cases."""
