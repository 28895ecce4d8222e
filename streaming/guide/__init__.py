"""The guide: a page for every operator, generated from its code, with examples that run and pictures."""
