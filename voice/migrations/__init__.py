"""How the tables of a store came to be: one file a step in `versions`, applied when a store is opened."""
