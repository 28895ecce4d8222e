"""The variables that configure an installation: table, reading, and page; needs only the standard library."""
