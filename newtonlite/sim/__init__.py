"""Simulation model: builder, model, state, control and contacts, independent of a solver."""

from newtonlite.sim.builder import ModelBuilder
from newtonlite.sim.contacts import Contacts
from newtonlite.sim.control import Control
from newtonlite.sim.model import Model
from newtonlite.sim.state import State

__all__ = ["Contacts", "Control", "Model", "ModelBuilder", "State"]
