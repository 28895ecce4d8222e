"""The language as tables: for each clause its words, its content, its help, and the field that it sets."""
