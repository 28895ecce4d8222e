"""Scalar expressions: a documented subset of Spark SQL, parsed, typed and allow-listed; never evaluated here.

`parse.parse` reads text into the small tree of `tree.py`, `typed.typed` checks it against a schema and puts every type
and every implicit widening into it. The reference gives the tree its meaning row by row; the engine compiles it to
columns.
"""
