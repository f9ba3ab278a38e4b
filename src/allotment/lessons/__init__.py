"""What lessons are made of: beliefs about a cluster as data, put to the test, each with a verdict that is computed."""
