"""Things that a newcomer might add, added from outside."""
