"""What crosses the process border, validated at both ends."""
