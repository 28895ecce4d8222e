"""Dashboards and alert rules for the metrics of an installation."""
