"""What a stage says of an axis that its joint does not move along is in the report; nothing vanishes."""
