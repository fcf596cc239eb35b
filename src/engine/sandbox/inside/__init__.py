"""What runs inside the sandbox; started without site packages, so it imports nothing of ours."""
