"""Tables that are loaded whole from files, again whenever these are replaced (T50, T51)."""
