"""Users, organisations, memberships and what each role may do."""
