"""What SolverMuJoCo adds around the engine: rules of Newton's document, contacts in and out, observables, following the
model.
"""
