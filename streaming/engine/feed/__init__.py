"""From received rows to envelopes: judged, stepped, folded and sent to their buckets."""
