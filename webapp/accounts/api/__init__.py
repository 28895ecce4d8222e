"""People, organisations and what belongs to them over HTTP."""
