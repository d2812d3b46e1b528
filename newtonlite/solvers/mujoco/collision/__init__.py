"""CollisionPipeline: contacts of a scene, found by the collision stages without a solver."""
