"""Messages and files that several processes share, validated at both ends."""
