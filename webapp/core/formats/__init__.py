"""How the pages of the installation spell moments, by language: as ISO 8601 does."""
