"""The planner of the next batch: polls, limits, starts, takeovers and the bindings that take part."""
