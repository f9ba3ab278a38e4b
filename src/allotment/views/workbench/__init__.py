"""The workbench: a plan, a job mix, a cluster and two policies on the same jobs, run live, seen, and compared."""
