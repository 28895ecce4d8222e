"""Installation and start of Punctual."""
