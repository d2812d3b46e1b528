"""Room for contacts and constraint rows: what did not fit, and how much would have been enough."""

from dataclasses import dataclass

from newtonlite.solvers.mujoco.data import capacities


@dataclass
class Shortage:
    """Contacts or rows that were lost since the counters were cleared."""

    nworld: int
    worlds: int  # that lost any
    contacts: int  # most that a world needed
    rows: int
    nconmax: int  # what there was room for
    njmax: int

    def text(self) -> str:
        """One line: who, how much was needed, how much there was, what to do."""
        return (
            f"{self.worlds} of {self.nworld} worlds had more contacts or constraint rows than fit: up to {self.contacts} contacts "
            f"(nconmax={self.nconmax}) and {self.rows} rows (njmax={self.njmax}) were needed; pass larger nconmax and njmax"
        )

    def enough(self, m) -> tuple[int, int]:
        """(nconmax, njmax) with half as much again. Contacts that were lost would have had rows too."""
        nconmax = max(self.nconmax, self.contacts + self.contacts // 2)
        rows = capacities(m, self.nworld, nconmax, None)["njmax"]
        return nconmax, max(rows, self.rows + self.rows // 2)


def find_shortage(d) -> Shortage | None:
    """What was lost in any world of the data, or None. Waits for the device."""
    lost = d.overflow.numpy()
    if not lost.any():
        return None
    most = (int(d.ncon_max.numpy().max()), int(d.nefc_max.numpy().max()))
    return Shortage(d.nworld, int((lost > 0).sum()), *most, d.nconmax, d.njmax)
