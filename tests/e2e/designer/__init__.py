"""Tests of the designer and the simulator in the browser."""
