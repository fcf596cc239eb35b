"""The terminal app: reads a run's file, sends commands, draws."""
