"""What must be there before Punctual can run; standard library only, for nothing is installed yet."""
