"""Pages: runs, run with its tabs, inspect, dialogs, help."""
