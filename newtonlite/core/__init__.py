"""Core types: enumerations, errors, field tables, axes."""
