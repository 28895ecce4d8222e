"""`make audit`: known weaknesses of the packages that both locks name."""
