"""The words everything else is written with: types, enumerations, errors, field tables."""
