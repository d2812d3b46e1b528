"""Adapter of SolverMuJoCo around the engine: rules of Newton's document, contacts in and out, observables, updates of
the model."""
