"""Tests of the web application."""
