"""Runner processes: launches, standbys, places, Redis users, and pools of organisations."""
