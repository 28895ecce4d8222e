"""Fields of a payload: their types, the text of types, and strict reading of values."""
