"""Windows of every kind over events and over partials: panes, their contents, and the emission of rows."""
