"""Confirmations: plans of programs that take effect only after a person confirms them."""
