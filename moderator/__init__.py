"""The rules of ten-seat Mafia: a pure engine, with no clock, no chance, no files and no network."""
