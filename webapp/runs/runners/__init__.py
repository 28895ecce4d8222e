"""The processes that run: launched, standing by, in places, with rights of their own, for one organisation or many."""
