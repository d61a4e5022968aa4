"""The deterministic reader: sentence patterns, seats and the scope of what is said about them."""

from voice.grammar.language import fold, language
from voice.grammar.reader import clauses, read, seat_spans, seats_in
from voice.grammar.scope import DOUBTFUL, PLAIN
from voice.grammar.speech import normalise

__all__ = ["DOUBTFUL", "PLAIN", "clauses", "fold", "language", "normalise", "read", "seat_spans", "seats_in"]
