"""What may stand at the cursor of a text."""
