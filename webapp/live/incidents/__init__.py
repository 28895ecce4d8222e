"""The page of an incident: its figures, timeline and export."""
