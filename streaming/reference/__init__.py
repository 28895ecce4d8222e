"""The meaning, executable, row by row, with a trace of every decision."""
