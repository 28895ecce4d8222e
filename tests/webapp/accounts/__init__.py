"""Tests of accounts, rights, tokens and request rates."""
