"""`make up`: the part that runs before anything is installed; standard library only."""
