"""The language as tables: for each clause its words, what stands in it, its help, and the field that it becomes."""
