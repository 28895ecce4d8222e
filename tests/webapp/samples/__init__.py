"""Tests of samples, replays, repairs, and the origins of a row."""
