"""The life of a run: its moves, its journal, the liveness of its runner, and announcements to pages."""
