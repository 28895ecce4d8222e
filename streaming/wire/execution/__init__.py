"""The interface of executors: a case, its execution, its result and its failures."""
