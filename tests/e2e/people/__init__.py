"""Tests of sign-in, members, tokens and administration in the browser."""
