"""The temporal model: ticks, events, CTIs, policies, clocks, windows (TEMPORAL.md). Standard library only."""
