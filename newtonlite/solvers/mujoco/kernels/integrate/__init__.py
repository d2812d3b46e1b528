"""Integration: Euler, implicit, RK4, and checks of the state."""
