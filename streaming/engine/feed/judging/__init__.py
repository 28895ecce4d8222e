"""What becomes of received rows: clocks, late policies, substreams, the idle rule, and who must hear of it."""
