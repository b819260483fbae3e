"""Hold a compaction or let it through, and say what it must keep."""
