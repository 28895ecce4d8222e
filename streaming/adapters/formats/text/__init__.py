"""Text files: encodings, dialects, records and cells of CSV, JSON documents."""
