"""What must be there before Punctual's own code can run; standard library only, for it runs before anything is installed."""
