"""The feed of a carrier: reading, judging and folding rows, and the attempts at a failing batch."""
