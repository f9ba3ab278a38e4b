"""Jobs out of a description and a seed, or out of a recording: one table of jobs as arrays."""
