"""Administration of an installation: its pages, impersonation, export and deletion of organisations."""
