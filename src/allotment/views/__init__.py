"""What people look at: how numbers are written, tables and charts. Only `charts` needs a plotting library."""
