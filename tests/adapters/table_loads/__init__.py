"""Tests of tables that are loaded whole."""
