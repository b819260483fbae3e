"""Priced context: a token price on every file read, before a coding agent pays it."""
