"""``m.stat``: statistics of a model."""

from newtonlite.mjwarp.declared import STATISTIC, of_statistic


@of_statistic
class Statistic:
    """Statistics: ``meaninertia [nworld or 1]`` on the device, as the solver reads it; anything else is the host
    model's.
    """

    def __init__(self, model):
        self.__dict__["_model"] = model

    def __getattr__(self, name):
        model = self.__dict__["_model"]
        return model.stat_meaninertia if name == "meaninertia" else getattr(model.source.stat, name)

    def __setattr__(self, name, value):
        if name == "meaninertia":
            self._model.stat_meaninertia = value
        else:
            setattr(self._model.source.stat, name, value)

    def __dir__(self):
        return sorted({*STATISTIC, *(n for n in dir(self._model.source.stat) if not n.startswith("_"))})
