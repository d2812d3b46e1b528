"""Journal of a job: a folder with its description, the last checkpoint of every shard, and trajectories where asked for.

Whoever runs the job may stop at any instant and go on from there: files are replaced whole, and a chunk that is done
again gives the same bytes.
"""

import json
from pathlib import Path

import numpy as np

from newtonlite.core.errors import FileError, StateError
from newtonlite.core.files import read_file
from newtonlite.core.replacing import replace_file, replacing_file
from newtonlite.scale.shards import WorldShard
from newtonlite.scale.wire import pack, unpack

FORMAT = "newtonlite scale job"
DESCRIPTION = "job.json"


class Journal:
    """Journal in ``folder`` of a job, a table of plain values. With ``resume`` the job goes on, where there is one.

    StateError for a folder with another job, or with one where none is to be resumed.
    """

    def __init__(self, folder, job: dict, shards: list[WorldShard], resume: bool = False):
        self.folder, self.job = Path(folder), job
        self.file = self.folder / DESCRIPTION
        self.prints: list = []
        if not self.file.exists():
            self.shards = shards
            self._describe()
        elif not resume:
            raise StateError(f"{self.folder}: there is a job already; resume it, or choose another folder")
        else:
            self._find(self._description())

    def _description(self) -> dict:
        try:
            page = json.loads(read_file(self.file, "table"))
        except FileError:
            raise
        except (ValueError, RecursionError):
            raise StateError(f"{self.file}: is damaged, or no job of newtonlite") from None
        if not isinstance(page, dict) or page.get("format") != FORMAT or not isinstance(page.get("job"), dict):
            raise StateError(f"{self.file}: is no job of newtonlite")
        return page

    def _find(self, page: dict) -> None:
        """Take over the shards of a job that was begun."""
        names = [name for name in {**self.job, **page["job"]} if self.job.get(name) != page["job"].get(name)]
        if names:
            name = next((n for n in names if n not in ("job", "blob")), names[0])
            text = f"{name} was {page['job'].get(name)!r}, now it is {self.job.get(name)!r}"
            raise StateError(f"{self.file}: is another job: {text}"[:400])
        edges = page.get("shards")
        good = isinstance(edges, list) and edges[:1] == [0] and edges[-1] == self.job["worlds"]
        if not good or not all(type(a) is type(b) is int and a < b for a, b in zip(edges, edges[1:])):
            raise StateError(f"{self.file}: shards: expected numbers from 0 to {self.job['worlds']}")
        prints = page.get("fingerprints")
        if not isinstance(prints, list) or not all(isinstance(p, dict) for p in prints):
            raise StateError(f"{self.file}: fingerprints: expected tables")
        self.prints = prints
        self.shards = [WorldShard(i, a, b - a) for i, (a, b) in enumerate(zip(edges, edges[1:]))]
        for shard in self.shards:
            self._restore(shard)

    def _restore(self, shard: WorldShard) -> None:
        """Set a shard to its last checkpoint. StateError names the file of a damaged one."""
        file = self.checkpoint_file(shard.number)
        if not file.exists():
            return
        head, arrays = unpack(read_file(file, "checkpoint"), str(file))
        blob, links, chunk, facts = arrays.get("checkpoint"), arrays.get("links"), head.get("chunk"), head.get("facts")
        if (
            head.get("shard") != shard.number
            or head.get("job") != self.job["job"]
            or type(chunk) is not int
            or chunk < 1
            or not isinstance(facts, dict)
            or not all(isinstance(v, (int, float)) for v in facts.values())
            or blob is None
            or links is not None
            and links.shape != (shard.count, 32)
        ):
            raise StateError(f"{file}: is no checkpoint of shard {shard.number} of this job")
        shard.base = shard.delivered = shard.submitted = shard.asked = chunk
        shard.basis, shard.links, shard.facts = blob.tobytes(), links, facts

    def _describe(self) -> None:
        edges = [s.first for s in self.shards] + [self.job["worlds"]]
        page = {"format": FORMAT, "job": self.job, "shards": edges, "fingerprints": self.prints}
        replace_file(self.file, json.dumps(page, indent=1) + "\n")

    def note_fingerprints(self, prints: list) -> None:
        """Write down which workers there are, where one is new."""
        if prints != self.prints:
            self.prints = list(prints)
            self._describe()

    def keep(self, shard: WorldShard, blob: bytes) -> None:
        """Write a shard's checkpoint."""
        head = {"job": self.job["job"], "shard": shard.number, "chunk": shard.base, "facts": shard.facts}
        arrays = {"checkpoint": np.frombuffer(blob, np.uint8)}
        if shard.links is not None:
            arrays["links"] = shard.links
        replace_file(self.checkpoint_file(shard.number), pack(head, arrays))

    def checkpoint_file(self, number: int) -> Path:
        """File of the checkpoint of a shard."""
        return self.folder / f"shard_{number:05d}.checkpoint"

    def keep_rows(self, shard: WorldShard, chunk: int, rows: np.ndarray) -> None:
        """Write the trajectories of a chunk ``[steps, worlds, n]``, read by ``numpy.load``."""
        with replacing_file(self.rows_file(shard.number, chunk)) as file:
            np.save(file, rows, allow_pickle=False)

    def rows_file(self, shard: int, chunk: int) -> Path:
        """File of the trajectories of a chunk."""
        return self.folder / f"rows_{shard:05d}_{chunk:06d}.npy"

    def rows(self) -> np.ndarray:
        """Trajectories of all worlds ``[steps, worlds, n]``. StateError where a chunk is not there."""
        parts = []
        for shard in self.shards:
            files = [self.rows_file(shard.number, chunk) for chunk in range(shard.delivered)]
            missing = [f for f in files if not f.exists()]
            if missing or not files:
                raise StateError(f"{missing[0] if missing else self.folder}: these trajectories were not kept")
            parts.append(np.concatenate([np.load(f, allow_pickle=False) for f in files]))
        return np.concatenate(parts, axis=1)
