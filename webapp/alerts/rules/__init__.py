"""The rules: measured values, thresholds, sentences, and the function that decides."""
