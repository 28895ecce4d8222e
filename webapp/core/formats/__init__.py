"""The format of times on the pages of the installation, by language: ISO 8601."""
