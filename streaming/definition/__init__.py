"""Definitions that a user designs: streams, query graphs and expressions, and the checker that reports every fault."""
