"""Parts that pages are made of: lists, texts, line editor, boxes, bars, diff; no Textual."""
