"""Running an installation and leaving it: administration, impersonation, export and deletion of organisations."""
