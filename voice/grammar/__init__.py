"""The deterministic reader: sentence patterns, seats and the scope of what is said about them."""

from voice.grammar.reader import clauses, read, seat_spans, seats_in
from voice.grammar.scope import PLAIN

__all__ = ["PLAIN", "clauses", "read", "seat_spans", "seats_in"]
