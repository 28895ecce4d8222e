"""The time simulator shows the results of the reference, and its sentences are exact."""
