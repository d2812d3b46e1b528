"""Actuation: activation dynamics, transmissions, gains and biases, actuator forces."""
