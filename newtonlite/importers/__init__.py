"""Reading model files into a builder."""
