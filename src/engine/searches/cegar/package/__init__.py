"""What an exported pool is made of, read as text: these modules run outside Evoscope."""
