"""Tests of the feed and of its inputs."""
