"""What the screens show of each search: columns, lines, figures; one module per search."""
