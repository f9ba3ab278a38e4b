"""The plan-tree editor: what is edited and what is shown need no browser; only `widget` needs the extra `lab`."""
