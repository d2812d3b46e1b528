"""What launches did: instructions by class, divergence, memory, and an estimate of the time on an H100."""

import json
import re
import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

CLOCK, SMS, SCHEDULERS, DRAM = 1.755e9, 132, 4, 3.35e12
REGISTERS, WARPS, BLOCKS, SHARED = 65536, 64, 32, 233472  # of a multiprocessor
L1_SECTORS, L2_BYTES = 4, 5.5e12  # sectors a cycle of a multiprocessor; bytes a second of all
L1, L2, DRAM_LATENCY, SMEM = 33, 260, 600, 29  # cycles
CLASSES = (
    "fp32",
    "fp64",
    "int",
    "special",
    "convert",
    "move",
    "load",
    "store",
    "atomic",
    "branch",
    "barrier",
    "shuffle",
    "call",
)


def cost(i) -> tuple:
    """(class, issue slots, latency in cycles) of a PTX instruction, by what ptxas usually makes of it."""
    op, kind = i.op[0], i.op[-1]
    wide = kind in ("s64", "u64", "b64")
    if op in ("mov", "cvta"):
        return "move", 0.15, 0
    if op == "ld":
        return ("move", 0.1, 0) if "param" in i.op else ("load", 1, L1)
    if op == "st":
        return ("move", 1, 0) if "param" in i.op else ("store", 1, 0)
    if op in ("atom", "red"):
        return "atomic", 1, L2 if op == "atom" else 0
    if op in ("bra", "brx", "ret", "exit"):
        return "branch", 1, 0
    if op in ("bar", "barrier"):
        return "barrier", 1, 6 if "warp" in i.op else 25
    if op in ("shfl", "vote", "match", "redux", "activemask", "elect"):
        return "shuffle", 1, 23
    if op in ("membar", "fence"):
        return "barrier", 1, 100
    if op == "call":
        return "call", 4, 20
    if op in ("prefetch", "prefetchu", "pragma", "nanosleep"):
        return "move", 0, 0
    if kind == "f64" and op not in ("cvt",):
        return (
            "fp64",
            {"div": 20, "sqrt": 18, "rcp": 12, "rsqrt": 12}.get(op, 2),
            {"div": 90, "sqrt": 80, "rcp": 60}.get(op, 8),
        )
    if op == "div":
        if kind == "f32":
            return ("special", 9, 45) if "rn" in i.op else ("special", 4, 30)
        return ("int", 70, 220) if wide else ("int", 18, 70)
    if op == "rem":
        return ("int", 75, 230) if wide else ("int", 20, 75)
    if op in ("sqrt", "rcp"):
        return ("special", 8, 45) if "rn" in i.op else ("special", 2, 22)
    if op in ("sin", "cos", "ex2", "lg2", "rsqrt", "tanh"):
        return "special", 2, 22
    if op == "cvt":
        if i.op[1:2] and kind[0] in "us" and i.op[-2][0] in "us":
            return (
                "convert",
                {("s64", "s32"): 1, ("u64", "u32"): 0.1, ("u32", "u64"): 0.1}.get((i.op[-2], kind), 0.7),
                4,
            )
        return "convert", 1, 12
    if kind == "f32":
        return "fp32", 1, 4
    if op in ("mul", "mad"):
        if "wide" in i.op:
            return "int", 1, 5
        return ("int", 4, 10) if wide else ("int", 1, 4)
    if kind == "pred":
        return "int", 0.4, 4
    return "int", 2 if wide and op in ("add", "sub", "setp", "selp", "shl", "shr", "neg") else 1 if not wide else 2, 4


def name_of(mangled: str) -> str:
    """Function's own name of a mangled one, without what Warp adds."""
    if not mangled.startswith("_Z"):
        return re.sub(r"(_[0-9a-f]{8})?_cuda_kernel_(forward|backward)$", "", mangled)
    at, parts = 2, []
    nested = mangled[at : at + 1] == "N"
    at += nested
    while m := re.compile(r"[rVKRO]*(\d+)").match(mangled, at):
        n = int(m[1])
        parts.append(mangled[m.end() : m.end() + n])
        at = m.end() + n
        if not nested:
            break
    return re.sub(r"(_[0-9a-f]{8})?_\d+$", "", parts[-1]) if parts else mangled


@dataclass
class Row:
    """Sums over launches of one kernel."""

    name: str
    program: object
    launches: int = 0
    blocks: int = 0
    lanes: int = 0  # threads of a block
    shared: int = 0
    most_blocks: int = 0
    stats: list = field(default_factory=list)
    sites: object = None


class Counts:
    """Collected counts; ``clear`` starts anew."""

    def __init__(self):
        self.rows: dict = {}

    def clear(self) -> None:
        """Forget all launches."""
        self.rows.clear()

    def add(self, program, name: str, blocks: int, lanes: int, shared: int) -> None:
        key = (program.hash, name)
        row = self.rows.get(key)
        if row is None:
            row = self.rows[key] = Row(name, program, lanes=lanes, shared=shared)
            row.stats = [np.zeros_like(s) for s in program.stats]
            row.sites = {n: np.zeros_like(program.sites[n]) for n in program.sites.dtype.names}
        row.launches += 1
        row.blocks += blocks
        row.most_blocks = max(row.most_blocks, blocks)
        for total, s in zip(row.stats, program.stats):
            total += s
        for n in row.sites:
            row.sites[n] += program.sites[n]

    def kernels(self, scale: float = 1.0) -> list:
        """A dictionary per kernel, in order of first launch; times are estimated for launches of ``scale`` times as many blocks as there were."""
        return [summary(row, scale) for row in self.rows.values()]

    def functions(self, depth: str = "own") -> dict:
        """Issue slots by source function: "stage" the function that the kernel calls, "own" the innermost that is not a header of Warp's, "line" with lines."""
        found: dict = {}
        for row in self.rows.values():
            for f, stats in zip(row.program.t.functions, row.stats):
                for b, (issues, lanes) in zip(f.f.blocks, stats):
                    if not issues:
                        continue
                    for i in b.code:
                        key = attribute(i, f.name if f.f.entry else f.name, row.name, depth)
                        _, slots, _ = cost(i)
                        x = found.setdefault(key, [0.0, 0.0, 0.0])
                        x[0] += slots * int(issues)
                        x[1] += int(issues)
                        x[2] += int(lanes)
        return dict(sorted(found.items(), key=lambda kv: -kv[1][0]))

    def memory(self) -> list:
        """Memory instructions that touch most sectors: (place, PTX, issues, lanes an issue, sectors an issue, new sectors an issue)."""
        out = []
        for row in self.rows.values():
            s = row.sites
            for k, (fname, _, i) in enumerate(row.program.t.sites):
                if s["issues"][k]:
                    n = int(s["issues"][k])
                    out.append(
                        (
                            attribute(i, fname, row.name, "line"),
                            i.text,
                            n,
                            int(s["lanes"][k]) / n,
                            int(s["sectors"][k]) / n,
                            int(s["cold"][k]) / n,
                            int(s["sectors"][k]),
                        )
                    )
        return sorted(out, key=lambda r: -r[-1])

    def table(self, worlds: int = 1, scale: float = 1.0) -> str:
        """Kernels as text; numbers per world (``worlds``: world-steps counted), times for ``scale`` times as many blocks."""
        rows = self.kernels(scale)
        head = f"{'kernel':34} {'launch':>6} {'warp instr':>10} {'slots':>8} {'active':>6} {'sectors':>8} {'new kB':>7} {'bytes/sec':>9} {'smem conf':>9} {'sync':>6} {'shfl':>6} {'regs':>4} {'occ':>4} {'us':>8} bound"
        lines = [head]
        total: dict = {}
        for r in rows:
            lines.append(
                f"{r['name'][:34]:34} {r['launches']:6d} {r['warp_instructions'] / worlds:10.0f} {r['slots'] / worlds:8.0f} {r['active']:6.1f} {r['sectors'] / worlds:8.0f} {r['new_bytes'] / worlds / 1000:7.1f}"
                f" {r['efficiency']:9.2f} {r['conflicts'] / worlds:9.0f} {r['classes']['barrier'] / worlds:6.0f} {r['classes']['shuffle'] / worlds:6.0f} {r.get('registers') or 0:4d} {r['occupancy']:4.2f} {r['time_us']:8.1f} {r['bound']}"
            )
            for k in ("warp_instructions", "slots", "sectors", "new_bytes", "conflicts", "time_us"):
                total[k] = total.get(k, 0) + r[k]
            for k, v in r["parts_us"].items():
                total[k] = total.get(k, 0) + v
        if rows:
            lines.append(
                f"{'all':34} {sum(r['launches'] for r in rows):6d} {total['warp_instructions'] / worlds:10.0f} {total['slots'] / worlds:8.0f} {'':6} {total['sectors'] / worlds:8.0f} {total['new_bytes'] / worlds / 1000:7.1f} {'':9} {total['conflicts'] / worlds:9.0f} {'':6} {'':6} {'':4} {'':4} {total['time_us']:8.1f}  bounds of all, us: "
                + ", ".join(f"{k} {total[k]:.0f}" for k in ("issue", "latency", "l1", "dram"))
            )
        return "\n".join(lines)

    def write(self, file, scale: float = 1.0) -> None:
        """All of it as JSON."""
        data = {
            "kernels": self.kernels(scale),
            "stages": self.functions("stage"),
            "functions": self.functions("own"),
            "lines": dict(list(self.functions("line").items())[:200]),
            "memory": self.memory()[:200],
        }
        Path(file).write_text(json.dumps(data, indent=1) + "\n")


def attribute(i, function: str, kernel: str, depth: str) -> str:
    """Whom an instruction is counted for."""
    place = i.place
    if not place:
        return name_of(function)
    if depth == "stage":
        return name_of(place[-2][0]) if len(place) > 1 else name_of(function)
    for name, file, line in place:
        if "/warp/native/" not in file and not file.startswith("/usr"):
            return name_of(name or function) + (f" {Path(file).name}:{line}" if depth == "line" else "")
    return name_of(place[-1][0] or function)


def summary(row: Row, scale: float = 1.0) -> dict:
    """Numbers of one kernel."""
    classes, threads = dict.fromkeys(CLASSES, 0), dict.fromkeys(CLASSES, 0)
    instructions = lanes_total = slots = cycles = static = static_slots = 0.0
    t = row.program.t
    site = {id(i): k for k, (_, _, i) in enumerate(t.sites)}
    for f, stats in zip(t.functions, row.stats):
        for b, (issues, lanes) in zip(f.f.blocks, stats):
            issues, lanes = int(issues), int(lanes)
            for i in b.code:
                kind, s, _ = cost(i)
                static += 1
                static_slots += s
                if issues:
                    classes[kind] += issues
                    threads[kind] += lanes
                    slots += s * issues
            instructions += len(b.code) * issues
            lanes_total += len(b.code) * lanes
            if issues:
                cycles += issues * chain(b, row.sites, site)
    s = {n: row.sites[n] for n in row.sites}
    glob = s["space"][:, 0] + s["space"][:, 3] > 0
    shared = s["space"][:, 1] > 0
    sectors, cold, asked = int(s["sectors"][glob].sum()), int(s["cold"].sum()), int(s["bytes"][glob].sum())
    used = assembled(row.program.text, row.name)
    fit = used["sass"] / static_slots if used.get("sass") else 1.0
    slots *= fit
    warps = -(-row.lanes // 32)
    regs = used.get("registers") or 64
    per_sm = max(
        1,
        min(
            BLOCKS,
            WARPS // warps,
            REGISTERS // (-(-regs // 8) * 8 * 32 * warps),
            SHARED // (used.get("shared", 0) + row.shared + 1024),
        ),
    )
    blocks = max(1, row.blocks / row.launches * scale)
    one = row.blocks or 1
    waves = -(-blocks // (SMS * per_sm))
    on_sm = -(-blocks // SMS)
    parts = {
        "issue": on_sm * slots / one / SCHEDULERS / CLOCK,
        "latency": waves * cycles / one / warps / CLOCK,
        "l1": on_sm * sectors / one / L1_SECTORS / CLOCK,
        "dram": blocks * 32 * cold / one / DRAM,
    }
    bound = max(parts, key=parts.get)
    return {
        "name": name_of(row.name), "launches": row.launches, "blocks": row.blocks, "threads_per_block": row.lanes, "warp_instructions": int(instructions), "thread_instructions": int(lanes_total),
        "slots": slots, "slots_by_ptx": slots / fit, "active": lanes_total / instructions if instructions else 0, "classes": classes, "thread_classes": threads,
        "sectors": sectors, "new_bytes": 32 * cold, "asked_bytes": asked, "efficiency": asked / (32 * sectors) if sectors else 0.0,
        "conflicts": int(s["extra"][shared].sum()), "local_issues": int(s["space"][:, 2].sum()), "shared_issues": int(s["space"][:, 1].sum()), "warp_cycles": cycles / one / warps,
        **used, "blocks_per_sm": per_sm, "occupancy": per_sm * warps / WARPS, "parts_us": {k: 1e6 * v * row.launches for k, v in parts.items()}, "time_us": 1e6 * (parts[bound] + 2e-6) * row.launches, "bound": bound, "blocks_estimated": blocks,
    }  # fmt: skip


def chain(block, sites: dict, site: dict) -> float:
    """Cycles one warp needs for a block: the longest path through its operands, or its issue slots if they are more.

    The order is free, since ptxas makes it anew, but loads stay behind stores and waits. Loads are as near as their sectors were found. What is not used within the
    block is waited for at its end, as if the next one began with it.
    """
    ready, fence, slots_sum, end = {}, 0.0, 0.0, 0.0
    for i in block.code:
        _, slots, latency = cost(i)
        slots_sum += slots
        names = [n for a in i.args for p in (a if isinstance(a, tuple) else (a,)) for n in re.findall(r"%\w+", p)]
        if i.guard:
            names.append(i.guard.lstrip("!"))
        no_result = i.op[0] in ("st", "bra", "brx", "bar", "barrier", "ret", "red", "call")
        first = i.args[0] if i.args and not no_result else ()
        writes = set(re.findall(r"%\w+", " ".join(first) if isinstance(first, tuple) else str(first)))
        start = max([0.0, *(ready.get(n, 0.0) for n in names if no_result or n not in writes)])
        if i.op[0] in ("ld", "atom", "bar", "barrier", "shfl") and "param" not in i.op:
            start = max(start, fence)
        if i.op[0] == "ld" and id(i) in site:
            k = site[id(i)]
            if n := int(sites["issues"][k]):
                near = SMEM if sites["space"][k, 1] else L1
                latency = near + int(sites["cold_issues"][k]) / n * (0.5 * (L2 + DRAM_LATENCY) - near)
        for w in writes:
            ready[w] = start + max(latency, slots)
        done = start + max(latency, slots)
        if i.op[0] in ("st", "bar", "barrier", "shfl", "atom", "red"):
            fence = max(fence, done if i.op[0] != "st" else start + slots)
        end = max(end, done)
    return max(end, slots_sum)


@cache
def assembled(text: str, kernel: str, arch: str = "sm_90") -> dict:
    """Registers, spills, shared memory and SASS instructions of a kernel by ptxas, where there is one."""
    tool = shutil.which("ptxas")
    if not tool:
        return {}
    said = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout
    release = re.search(r"release (\d+)\.(\d+)", said)
    newest = (int(release[1]) - 4, int(release[2]))
    wanted = tuple(int(x) for x in re.search(r"\.version (\d+)\.(\d+)", text).groups())
    text = re.sub(r"\.version \S+", ".version {}.{}".format(*min(newest, wanted)), text, count=1)
    with tempfile.TemporaryDirectory() as folder:
        ptx, out = Path(folder) / "a.ptx", Path(folder) / "a.cubin"
        ptx.write_text(text)
        done = subprocess.run([tool, "-v", f"-arch={arch}", ptx, "-o", out], capture_output=True, text=True)
        if done.returncode:
            return {"ptxas": done.stderr.strip().splitlines()[0][:200]}
        m = re.search(
            rf"Compiling entry function '{re.escape(kernel)}'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads\s+.*?Used (\d+) registers([^\n]*)",
            done.stderr,
            re.S,
        )
        smem = re.search(r"(\d+) bytes smem", m[5]) if m else None
        # functions that are not inlined have lines of their own, behind the kernel's
        entries = re.findall(r"Compiling entry function '(.*?)'", done.stderr)
        frames = re.findall(
            r"Function properties for (\S+)\s+(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads",
            done.stderr,
        )
        called = [int(stores) + int(loads) for name, _, stores, loads in frames if name not in entries]
        size = sum(n for name, n in _sections(out.read_bytes()) if name.startswith(".text."))
        one = next((n for name, n in _sections(out.read_bytes()) if name == f".text.{kernel}"), size)
        return (
            {
                "registers": int(m[4]),
                "stack": int(m[1]),
                "spills": max(int(m[2]) + int(m[3]), *called, 0),
                "shared": int(smem[1]) if smem else 0,
                "sass": size // 16,
                "sass_entry": one // 16,
            }
            if m
            else {"sass": size // 16}
        )


def _sections(elf: bytes) -> list:
    """(name, size) of an ELF file's sections."""
    (offset,) = struct.unpack_from("<Q", elf, 0x28)
    width, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    heads = [struct.unpack_from("<IIQQQQ", elf, offset + k * width) for k in range(count)]
    base = heads[names][4]
    return [(elf[base + h[0] : elf.index(b"\0", base + h[0])].decode(), h[5]) for h in heads]
