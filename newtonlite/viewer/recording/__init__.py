"""Recordings of what a viewer shows: kept in memory, saved without loss, replayed, exported as a page of its own."""
