"""Scalar expressions: a documented subset of Spark SQL, parsed, typed and allow-listed; never evaluated here.

`parse.parse` reads text into the small tree of `tree.py`; `typed.typed` checks it against a schema and adds every type
and every implicit widening. The reference evaluates the tree row by row; the engine compiles it to columns.
"""
