"""Why: what a job waited for, who stopped it and by which rule, who comes first, and what would have changed it."""
