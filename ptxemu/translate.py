"""Blocks of PTX to tables of operations over vectors of 32 lanes.

An operation is a handler (a C function that loops over the lanes; compiled once, whichever kernel first needs it) with the places of its
operands in the function's frame. Every register is a vector in the frame; constants and special registers are too.
"""

import re

from ptxemu.arithmetic import Arithmetic
from ptxemu.conversion import Conversion
from ptxemu.kinds import SPECIAL, WIDE_SPECIAL, Unsupported, handler, width
from ptxemu.lanes import Lanes
from ptxemu.memory import Memory
from ptxemu.parse import Function, Instruction, Module


class Translator:
    """Functions of a module as tables, with what the runtime needs to know of them."""

    def __init__(self, module: Module):
        self.m = module
        self.sites: list = []  # (function, block, instruction)
        self.offsets: dict = {}  # of shared variables
        self.unknown: dict = {}
        self.handlers: dict = {}  # key -> C source; in order of first use
        self.static: dict = {}  # symbol -> place in the static data
        self.static_data = bytearray()
        self.shared_static = 0
        dynamic = []
        for v in module.variables.values():
            if v.space == "shared":
                if v.size == 0:
                    dynamic.append(v)
                    continue
                self.shared_static = -(-self.shared_static // v.align) * v.align
                self.offsets[v.name] = self.shared_static
                self.shared_static += v.size
        if dynamic:
            self.shared_static = -(-self.shared_static // 128) * 128
        for v in dynamic:
            self.offsets[v.name] = self.shared_static
        self.names = [n for n, f in module.functions.items() if any(b.code for b in f.blocks)]
        self.functions = [FunctionWriter(self, module.functions[n]) for n in self.names]
        for f in self.functions:
            f.write()

    def static_offset(self, name: str) -> int:
        """Place of a global or constant variable among the static data."""
        if name not in self.static:
            v = self.m.variables[name]
            self.static_data += bytes(-len(self.static_data) % 64)
            self.static[name] = len(self.static_data)
            self.static_data += v.data.ljust(max(v.size, 1), b"\0")
        return self.static[name]


class FunctionWriter(Arithmetic, Conversion, Memory, Lanes):
    """Tables of one function."""

    def __init__(self, t: Translator, f: Function):
        self.t, self.f, self.name = t, f, f.name
        self.at = {id(b): i for i, b in enumerate(f.blocks)}
        self.width = {r: width(k) for r, k in f.registers.items()}
        self.formal = {n: (size, k) for k, (n, _, size, _) in enumerate([*f.params, *f.returns])}
        offset, self.entry_offset = 0, {}
        for n, _, size, align in f.params:
            offset = -(-offset // align) * align
            self.entry_offset[n] = offset
            offset += size
        self.entry_size = offset
        self.ops: list = []  # (handler key, d, a, b, c, e, x0, x1, x2, x3, imm, line, site)
        self.blocks: list = []  # (first op, count, kind, line, has mask, mask, mask slot, jump, target, other, predicate, negated)
        self.tables: list = []
        self.constants: dict = {}  # (kind, value) -> slot; kind "all", "static", "shared", "local", "param", "formal"

    # which registers a block reads and writes

    def _uses(self, i: Instruction) -> tuple:
        """(registers read, registers written)."""
        reads, writes = [], []
        if i.guard:
            reads.append(i.guard.lstrip("!"))
        head = i.op[0]
        no_result = head in (
            "st",
            "bra",
            "brx",
            "ret",
            "exit",
            "trap",
            "bar",
            "barrier",
            "membar",
            "fence",
            "red",
            "prefetch",
            "call",
            "cp",
            "brkpt",
            "pragma",
            "nanosleep",
            "discard",
            "prefetchu",
            "stmatrix",
        )
        for k, a in enumerate(i.args):
            parts = a if isinstance(a, tuple) else a.split("|") if k == 0 and not no_result else (a,)
            for p in parts:
                found = [n for n in re.findall(r"[%$_A-Za-z][\w$]*", p) if n in self.width]
                (writes if k == 0 and not no_result and not p.startswith("[") else reads).extend(found)
        if i.guard:
            reads += writes
        return reads, writes

    def liveness(self) -> None:
        number = {r: k for k, r in enumerate(self.width)}
        blocks = self.f.blocks
        use, define = [], []
        for b in blocks:
            u = d = 0
            for i in b.code:
                reads, writes = self._uses(i)
                for r in reads:
                    if not d >> number[r] & 1:
                        u |= 1 << number[r]
                for r in writes:
                    d |= 1 << number[r]
            use.append(u)
            define.append(d)
        succ = [[self.at[id(s)] for s in b.succ if id(s) in self.at] for b in blocks]
        live_in = list(use)
        live_out = [0] * len(blocks)
        changed = True
        while changed:
            changed = False
            for k in range(len(blocks) - 1, -1, -1):
                out = 0
                for s in succ[k]:
                    out |= live_in[s]
                new = use[k] | (out & ~define[k])
                if new != live_in[k] or out != live_out[k]:
                    live_in[k], live_out[k], changed = new, out, True
        names = list(self.width)
        self.live_in = [self._names(x, names) for x in live_in]
        self.live_out = [self._names(x, names) for x in live_out]

    @staticmethod
    def _names(x: int, names: list) -> set:
        out = set()
        while x:
            low = x & -x
            out.add(names[low.bit_length() - 1])
            x ^= low
        return out

    # slots

    def write(self) -> None:
        """Fill ``ops`` and ``blocks``."""
        self.liveness()
        across = set().union(*self.live_in, *self.live_out) if self.live_in else set()
        for b in self.f.blocks:  # masks of waits are read by the scheduler
            if b.code and (mask := self._members(b.code[0])) in self.width:
                across.add(mask)
        self.slot = {name: k for k, name in enumerate(SPECIAL)}
        self.slots = len(SPECIAL)
        for r in self.width:
            if r in across:
                self.slot[r] = self._new()
        self.spare: list = []
        for b in self.f.blocks:
            last: dict = {}
            for n, i in enumerate(b.code):
                for r in (*self._uses(i)[0], *self._uses(i)[1]):
                    last[r] = n
            free = self.pool = list(self.spare)
            first = len(self.ops)
            kind, has, mask, members = 0, 0, 0, 0
            ended = None
            for n, i in enumerate(b.code):
                for r in (*self._uses(i)[1], *self._uses(i)[0]):
                    if r not in self.slot:
                        self.slot[r] = free.pop() if free else self._grow()
                self.local_temporaries = []
                if i.op[0] in ("bra", "brx", "ret", "exit", "trap"):
                    ended = i
                    reads = self._uses(i)[0]
                    self._guard_slot = self.slot[reads[0]] if reads else -1
                else:
                    self._emit(i)
                free += self.local_temporaries
                for r, end in list(last.items()):
                    if end == n and r not in across:
                        free.append(self.slot.pop(r))
                        del last[r]
            i = b.code[0] if b.code else None
            if i is not None and (m := self._members(i)) is not None:
                kind = 1
                if m in self.width:
                    members = self.slot[m]
                else:
                    has, mask = 1, int(m.rstrip("U"), 0) & 0xFFFFFFFF
            elif i is not None and i.op[0] in ("bar", "barrier"):
                kind = 2
            self.blocks.append(
                (first, len(self.ops) - first, kind, i.line if i else 0, has, mask, members, *self._jump(b, ended))
            )

    def _jump(self, b, i) -> tuple:
        """(kind, target, other, predicate slot, negated) with kind 0 go on, 1 branch, 2 table, 3 return, 4 exit, 5 trap."""
        after = self.at[id(b.succ[-1])] if b.succ else -1
        if i is None:
            return (0, after, -1, 0, 0) if after >= 0 else (3, -1, -1, -1, 0)
        guard = (self._guard_slot if i.guard else -1, int(bool(i.guard) and i.guard[0] == "!"))
        if i.op[0] == "bra":
            return (1, self.at[id(b.succ[0])], self.at[id(b.succ[1])] if len(b.succ) > 1 else -1, *guard)
        if i.op[0] == "brx":
            self.tables.append([self.at[id(s)] for s in b.succ])
            return (2, len(self.tables) - 1, -1, self._guard_slot, 0)
        return ({"ret": 3, "exit": 4, "trap": 5}[i.op[0]], -1, after, *guard)

    def _new(self) -> int:
        self.slots += 1
        return self.slots - 1

    def _grow(self) -> int:
        """A slot more for what lives within a block."""
        self.spare.append(self._new())
        return self.spare[-1]

    def temporary(self) -> int:
        """A slot for the length of an instruction."""
        s = self.pool.pop() if self.pool else self._grow()
        self.local_temporaries.append(s)
        return s

    def constant(self, kind: str, value: int) -> int:
        if (kind, value) not in self.constants:
            self.constants[kind, value] = self._new()
        return self.constants[kind, value]

    @staticmethod
    def _members(i: Instruction) -> str | None:
        """Operand with the lanes an instruction waits for."""
        if i.op[0] in ("shfl", "vote", "match", "redux") and "sync" in i.op:
            return i.args[-1]
        if i.op[0] == "bar" and "warp" in i.op:
            return i.args[0]
        return None

    def _emit(self, i: Instruction) -> None:
        self.i = i
        mark = len(self.ops)
        if i.guard:
            self.op("rt_guard", a=self.slot[i.guard.lstrip("!")], imm=int(i.guard[0] == "!"))
        try:
            getattr(self, f"op_{i.op[0]}", self.unknown)(i)
        except (Unsupported, KeyError, ValueError, IndexError, TypeError, AttributeError, StopIteration) as e:
            self.t.unknown[".".join(i.op)] = f"{i.text} ({type(e).__name__} {e})"
            del self.ops[mark + bool(i.guard) :]
            self.op("rt_unsupported")
        if i.guard:
            self.op("rt_unguard")

    def op(self, key: str, d=0, a=0, b=0, c=0, e=0, x=(0, 0, 0, 0), imm=0, site=-1) -> None:
        """One operation: a handler of the runtime, or one declared by ``lanes``."""
        self.ops.append((key, d, a, b, c, e, *x, imm, self.i.line, site))

    # operands

    def value(self, a: str, kind: str) -> int:
        """Slot of an operand read as ``kind``."""
        bits = width(kind)
        if a in self.width:
            if self.width[a] < bits and kind != "pred":
                raise Unsupported("operand narrower than its use")
            if self.width[a] > bits and bits:  # the low bits
                t = self.temporary()
                self.lanes_to(t, f"u{bits}", "a", ("a", self.slot[a], f"u{self.width[a]}"))
                return t
            return self.slot[a]
        if a in self.slot:
            if bits == 64 and a not in WIDE_SPECIAL:
                t = self.temporary()
                self.lanes_to(t, "u64", "a", ("a", self.slot[a], "u32"))
                return t
            return self.slot[a]
        if m := re.fullmatch(r"0[fF]([0-9a-fA-F]{8})", a):
            return self.constant("all", int(m[1], 16))
        if m := re.fullmatch(r"0[dD]([0-9a-fA-F]{16})", a):
            return self.constant("all8", int(m[1], 16))
        if m := re.fullmatch(r"([-+]?)(0[xX][0-9a-fA-F]+|\d+)U?", a):
            n = int(m[2], 0) * (-1 if m[1] == "-" else 1)
            if kind == "pred":
                return self.constant("all", 0xFFFFFFFF if n else 0)
            n &= (1 << bits) - 1
            return self.constant({16: "all2", 32: "all", 64: "all8"}[bits], n)
        return self.symbol(a, bits)

    def symbol(self, a: str, bits: int) -> int:
        name, _, off = a.partition("+")
        off = int(off or "0", 0)
        if name in self.t.offsets:
            return self.constant("all8" if bits == 64 else "all", self.t.offsets[name] + off)
        if name in self.f.variables:
            return self.constant("local", self.local_offset(name) << 32 | (off & 0xFFFFFFFF))
        if self.f.entry and name in self.entry_offset:
            return self.constant("param", self.entry_offset[name] + off)
        if name in self.formal:
            return self.constant("formal", self.formal[name][1] | off << 16)
        if name in self.t.m.variables:
            return self.constant("static", self.t.static_offset(name) + off)
        raise Unsupported(f"symbol {name}")

    def local_offset(self, name: str) -> int:
        """Place of a local or parameter variable in the frame's bytes; lanes lie ``local_stride`` apart."""
        if not hasattr(self, "places"):
            self.places, at = {}, 0
            for n, (_, size, align) in self.f.variables.items():
                at = -(-at // max(align, 16)) * max(align, 16)
                self.places[n] = at
                at += size
            self.local_stride = -(-at // 32) * 32 + 32
        return self.places[name]

    def address(self, a: str) -> tuple:
        """(slot, offset) of a memory operand."""
        inside = a.strip("[] ")
        m = re.fullmatch(r"([%$_A-Za-z][\w$.]*)\s*(?:([+-])\s*(-?\w+))?", inside)
        if not m:
            return self.value(inside, "u64"), 0
        base, off = m[1], int(m[3] or "0", 0) * (-1 if m[2] == "-" else 1)
        if base in self.width:
            if self.width[base] == 32:
                t = self.temporary()
                self.lanes_to(t, "u64", "a", ("a", self.slot[base], "u32"))
                return t, off
            return self.slot[base], off
        return self.symbol(base, 64), off

    def lanes_to(self, d: int, kind: str, expr: str, *args) -> None:
        """An operation that loops over lanes: ``args`` are (name, slot, kind); ``imm`` may be used as ``o->imm``."""
        key = f"{kind}|{expr}|" + ",".join(f"{n}:{k}" for n, _, k in args)
        if key not in self.t.handlers:
            self.t.handlers[key] = handler(kind, expr, [(n, k) for n, _, k in args])
        places = dict(zip("abce", (s for _, s, _ in args)))
        self.op(key, d=d, **places)

    def lanes(self, i: Instruction, d: str, kind: str, expr: str, *args) -> None:
        """``d = expr`` for every lane; ``args`` are (name, operand, kind)."""
        if d == "_":
            return
        self.lanes_to(self.slot[d], kind, expr, *((n, self.value(a, k), k) for n, a, k in args))

    def site(self, i: Instruction) -> int:
        self.t.sites.append((self.f.name, len(self.blocks), i))
        return len(self.t.sites) - 1
