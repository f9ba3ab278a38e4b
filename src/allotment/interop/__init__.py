"""Formats: scenario files in and out, and the schema that editors check them with."""
