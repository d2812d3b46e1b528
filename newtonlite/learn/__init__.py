"""Learning: PPO on torch, checkpoints that resume bit by bit, evaluation, export. Needs the extra ``learn``."""
