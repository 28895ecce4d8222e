"""The time simulator: what it shows is what the reference does, and the sentences are exact."""
