"""Starts from an earlier state: restart points, positions of lanes, carried-over windows, changeovers, repairs."""
