"""The guide: a page for every operator, written from its code, with examples that run and pictures of what they did."""
