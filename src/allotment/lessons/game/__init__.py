"""The commons game: teams share a cluster, under priorities, then under budgets, and see what they do to each other."""
