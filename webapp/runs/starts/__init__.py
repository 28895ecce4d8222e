"""Starting and stopping: where a run may begin, what becomes of what the last one kept, and asking for it."""
