"""The shell around the rules: rooms, ears, voice, understanding, store, and the loop that joins them."""
