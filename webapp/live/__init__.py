"""The live page of an organisation: every live query, worst first."""
