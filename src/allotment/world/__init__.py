"""What is outside the scheduler: people, broken nodes and those who repair them, changes of the plan, a live clock."""
