"""Spark's session and its processes: settings, the fork server, the archive of classes, memory limits, secrets."""
