"""What a run goes through: its moves, its journal, whether its runner lives, and who is told."""
