"""Windows of every kind over events and over partials: which panes, what is in them, when that is said."""
