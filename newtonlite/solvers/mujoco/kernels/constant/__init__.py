"""Constants of a model at its reference pose: inverse weights, lengths."""
