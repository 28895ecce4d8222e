"""The live page of a run: progress, results and quarantine."""
