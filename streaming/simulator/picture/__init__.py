"""The picture of a recorded run: rows, panes, tracks and waiting times, with their sentences."""
