"""Judgement of received rows: clocks, late policies, substreams, the idle rule, and reports of late rows."""
