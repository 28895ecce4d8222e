"""The process of a runner: its lock, its logs, and its limits of memory and tasks."""
