"""`punctual-serve`: one command for each process of an installation."""
