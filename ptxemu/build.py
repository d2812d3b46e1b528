"""Runtime and handlers compiled with g++, and tables of a kernel laid out for them; what is compiled is kept below ``.cache/ptxemu``."""

import ctypes
import hashlib
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np

from ptxemu.kinds import SPECIAL, STRIDE
from ptxemu.parse import Module
from ptxemu.translate import Translator

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("PTXEMU_CACHE", HERE.parent / ".cache" / "ptxemu"))
CXX = os.environ.get("CXX", "g++")
FLAGS = ["-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared", "-w"]
OP = np.dtype(
    [
        ("run", "u8"),
        ("d", "u4"),
        ("a", "u4"),
        ("b", "u4"),
        ("c", "u4"),
        ("e", "u4"),
        ("x", "u4", 4),
        ("line", "i4"),
        ("imm", "i8"),
        ("site", "i4"),
        ("pad", "i4"),
    ]
)
BLOCK = np.dtype(
    [
        (n, "u4" if n == "mask" else "i4")
        for n in (
            "first",
            "count",
            "kind",
            "line",
            "has_mask",
            "mask",
            "members",
            "jump",
            "target",
            "other",
            "predicate",
            "negated",
        )
    ]
)
CONSTANT = np.dtype([("slot", "i4"), ("kind", "i4"), ("value", "u8")])
FUNC = np.dtype(
    [(n, "i4") for n in ("nblocks", "slots", "nconstants", "local_stride", "entry", "nspecial")]
    + [(n, "u8") for n in ("blocks", "ops", "constants", "stats", "tables", "table_first", "all", "frame_size")]
)
SITE = np.dtype(
    [(n, "u8") for n in ("issues", "lanes", "bytes", "sectors", "extra", "cold", "cold_issues")] + [("space", "u8", 4)]
)
KINDS = {"all": 0, "all2": 1, "all8": 2, "static": 3, "param": 4, "local": 5, "formal": 6}


def _compile(source: Path, out: Path) -> None:
    part = out.with_suffix(f".{os.getpid()}.so")
    done = subprocess.run([CXX, *FLAGS, f"-I{HERE}", "-o", part, source], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"ptxemu: {CXX} failed\n{done.stderr[:4000]}")
    part.replace(out)


def _version() -> str:
    return hashlib.sha256(b"".join((HERE / n).read_bytes() for n in ("runtime.h", "runtime.cpp"))).hexdigest()[:12]


class Runtime:
    """The compiled runtime, and addresses of handlers."""

    def __init__(self):
        self.version = _version()
        self.folder = CACHE / self.version
        self.folder.mkdir(parents=True, exist_ok=True)
        lib = self.folder / "runtime.so"
        if not lib.exists():
            _compile(HERE / "runtime.cpp", lib)
        self.lib = ctypes.CDLL(str(lib), mode=ctypes.RTLD_GLOBAL)
        self.lib.emu_report.restype = ctypes.c_char_p
        self.known: dict = {}
        self.index = self.folder / "handlers.json"
        self.loaded: dict = {}

    def address(self, key: str) -> int:
        if key.startswith("rt_"):
            return ctypes.cast(getattr(self.lib, key), ctypes.c_void_p).value
        return self.known[key]

    def load(self, handlers: dict) -> None:
        """Make these handlers known, compiling those never met before."""
        if all(k in self.known for k in handlers):
            return
        kept = json.loads(self.index.read_text()) if self.index.exists() else {}
        name = lambda key: "h_" + hashlib.sha256(key.encode()).hexdigest()[:16]
        new = {k: s for k, s in handlers.items() if k not in self.known and k not in kept}
        if new:
            text = '#include "runtime.h"\n' + "\n".join(f'extern "C" void {name(k)}{s}' for k, s in new.items()) + "\n"
            stem = "handlers_" + hashlib.sha256(text.encode()).hexdigest()[:12]
            (self.folder / f"{stem}.cpp").write_text(text)
            _compile(self.folder / f"{stem}.cpp", self.folder / f"{stem}.so")
            kept = (json.loads(self.index.read_text()) if self.index.exists() else {}) | dict.fromkeys(new, stem)
            part = self.index.with_suffix(f".{os.getpid()}")
            part.write_text(json.dumps(kept))
            part.replace(self.index)
        for k in handlers:
            if k not in self.known:
                stem = kept[k]
                if stem not in self.loaded:
                    self.loaded[stem] = ctypes.CDLL(str(self.folder / f"{stem}.so"))
                self.known[k] = ctypes.cast(getattr(self.loaded[stem], name(k)), ctypes.c_void_p).value


_runtime = None


def runtime() -> Runtime:
    """The one runtime of the process."""
    global _runtime
    if _runtime is None:
        _runtime = Runtime()
    return _runtime


class Program:
    """A PTX module made ready to run."""

    def __init__(self, text: str):
        self.hash = hashlib.sha256(text.encode()).hexdigest()[:16]
        self.text = text
        t = self.t = self._translated(text)
        rt = runtime()
        rt.load(t.handlers)
        self.static = ctypes.create_string_buffer(bytes(t.static_data) or b"\0", max(64, len(t.static_data)) + 64)
        base = -(-ctypes.addressof(self.static) // 64) * 64
        ctypes.memmove(base, bytes(t.static_data), len(t.static_data))
        self.static_range = (base, base + len(t.static_data))
        n = len(t.functions)
        self.funcs = np.zeros(n, FUNC)
        self.stats = [np.zeros((len(f.blocks), 2), np.uint64) for f in t.functions]
        self.sites = np.zeros(len(t.sites) + 1, SITE)
        self.keep = []
        arena = 0
        for k, f in enumerate(t.functions):
            ops = np.zeros(len(f.ops) + 1, OP)
            for j, (key, d, a, b, c, e, x0, x1, x2, x3, imm, line, site) in enumerate(f.ops):
                ops[j] = (rt.address(key), d, a, b, c, e, (x0, x1, x2, x3), line, imm, site, 0)
            blocks = np.array(f.blocks, dtype=BLOCK)
            constants = np.zeros(len(f.constants) + 1, CONSTANT)
            for j, ((kind, value), slot) in enumerate(f.constants.items()):
                constants[j] = (slot, KINDS[kind], (value + (base if kind == "static" else 0)) & (2**64 - 1))
            flat = np.array([v for table in f.tables for v in table] or [0], np.int32)
            first = np.array([0, *np.cumsum([len(table) for table in f.tables])], np.int32)
            stride = getattr(f, "local_stride", 0)
            size = -(-(f.slots * STRIDE + 32 * stride) // 256) * 256
            self.keep += [ops, blocks, constants, flat, first]
            self.funcs[k] = (
                len(f.blocks), f.slots, len(f.constants), stride, f.f.entry, len(SPECIAL), blocks.ctypes.data, ops.ctypes.data, constants.ctypes.data,
                self.stats[k].ctypes.data, flat.ctypes.data, first.ctypes.data, self.funcs.ctypes.data, size,
            )  # fmt: skip
            arena += size
        self.arena = arena + 4096
        self.entries = {f.name: k for k, f in enumerate(t.functions) if f.f.entry}

    @staticmethod
    def _translated(text: str) -> Translator:
        """The tables, from the cache if this text was met before."""
        code = b"".join(path.read_bytes() for path in sorted(HERE.glob("*.py")))
        file = CACHE / "tables" / (hashlib.sha256(code + text.encode()).hexdigest()[:24] + ".pickle")
        if file.exists():
            try:
                return pickle.loads(file.read_bytes())
            except Exception:  # written by another version
                pass
        t = Translator(Module(text))
        t.m.text = ""
        for f in t.functions:
            f.live_in = f.live_out = None
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}")
        old = sys.getrecursionlimit()
        sys.setrecursionlimit(1_000_000)
        try:
            part.write_bytes(pickle.dumps(t))
            part.replace(file)
        except RecursionError:
            pass
        finally:
            sys.setrecursionlimit(old)
        return t

    def function(self, name: str):
        """Tables of an entry."""
        return self.t.functions[self.entries[name]]

    def launch(
        self,
        name: str,
        params: list,
        grid: tuple,
        block: int,
        shared: int = 0,
        check: int = 0,
        count: bool = True,
        poison: int = 1,
    ) -> list:
        """Run a grid; ``params`` are bytes of each parameter. Returns the faults found, as dictionaries."""
        f = self.function(name)
        buffer = bytearray(f.entry_size + 16)
        for (n, _, size, _), value in zip(f.f.params, params):
            at = f.entry_offset[n]
            buffer[at : at + size] = value[:size]
        packed = (ctypes.c_char * len(buffer)).from_buffer(buffer)
        lib = runtime().lib
        faults = lib.emu_launch(
            ctypes.c_void_p(self.funcs.ctypes.data + self.entries[name] * FUNC.itemsize), ctypes.c_void_p(self.sites.ctypes.data), packed,
            *map(ctypes.c_uint32, grid), ctypes.c_uint32(block), ctypes.c_uint32(self.t.shared_static), ctypes.c_uint32(shared), check, int(count), poison, ctypes.c_uint64(self.arena),
        )  # fmt: skip
        return self._faults(f, faults)

    def _faults(self, f, count: int) -> list:
        if not count:
            return []
        places = {i.line: (i.text, i.place) for g in self.t.functions for b in g.f.blocks for i in b.code}
        out = []
        for row in runtime().lib.emu_report().decode(errors="replace").splitlines():
            kind, line, block, warp, text = row.split("\t", 4)
            ptx, place = places.get(int(line), ("", ()))
            out.append(
                {
                    "kind": int(kind),
                    "line": int(line),
                    "block": int(block),
                    "warp": int(warp),
                    "text": text,
                    "ptx": ptx,
                    "place": [f"{Path(file).name}:{n} {name}" for name, file, n in place],
                    "count": count,
                }
            )
        return out

    def reset(self) -> None:
        """Counters to zero."""
        for s in self.stats:
            s[:] = 0
        self.sites[:] = 0
