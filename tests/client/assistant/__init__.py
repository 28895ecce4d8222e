"""Assistants: a scripted client of the Model Context Protocol against the application on its own port."""
