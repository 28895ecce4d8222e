"""Files in one folder as one lane, in order of modification time, path and row (T14)."""
