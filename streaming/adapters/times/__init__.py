"""Times in the rows of adapters: columns, patterns, their selection by name, and CTIs in band."""
