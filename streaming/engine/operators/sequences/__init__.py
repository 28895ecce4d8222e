"""match_recognize: rows of groups searched for a pattern."""
