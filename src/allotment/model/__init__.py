"""What people say: clusters, plans, jobs, policies, and changes of a plan."""
