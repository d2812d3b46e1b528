"""Incremental potential contact (flag ipc): surfaces of flexes that never cross, under the integrator discrete."""
