"""Newton's viewer interface: programs written for its viewers run with these."""
