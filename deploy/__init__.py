"""How Punctual is installed and started."""
