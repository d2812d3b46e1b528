"""Distance fields of shapes in double precision, and the search for the deepest points that two of them share."""
