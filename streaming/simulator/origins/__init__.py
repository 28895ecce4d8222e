"""Origins of a row that a binding has emitted, and reasons for a missing one."""
