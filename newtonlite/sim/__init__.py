"""The scene: what there is (builder, model), how it is (state), and what is done to it (control, contacts)."""
