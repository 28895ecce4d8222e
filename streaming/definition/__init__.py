"""What a user designs: streams, query graphs, expressions, and the checker that names every fault."""
