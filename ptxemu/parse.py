"""PTX text to functions of basic blocks."""

import re
from dataclasses import dataclass, field

from ptxemu.order import order

SYNC = ("bar", "barrier", "shfl", "vote", "match", "redux", "elect")
"""Opcodes that wait for other lanes: each begins a block of its own."""
ENDS = ("bra", "brx", "ret", "exit", "trap")
_WIDTH = re.compile(r"[busf](8|16|32|64|128)$")
_LABEL = re.compile(r"([$\w]+):(?!:)")
_NAME = re.compile(r"[%$_A-Za-z][\w$]*")


@dataclass
class Instruction:
    """``@guard op args`` with where it comes from."""

    op: list  # parts of the opcode: ["ld", "global", "f32"]
    args: list  # strings; a vector operand is a tuple of strings; a memory operand "[name+4]"
    guard: str | None = None  # "%p1" or "!%p1"
    line: int = 0  # in the PTX
    place: tuple = ()  # frames of the source, innermost first: (function, file, line)
    text: str = ""


@dataclass
class Function:
    """An entry or a device function: parameters, register types, local and parameter variables, and blocks in order."""

    name: str
    entry: bool
    params: list = field(default_factory=list)  # (name, type, size, align)
    returns: list = field(default_factory=list)
    registers: dict = field(default_factory=dict)  # name -> type
    variables: dict = field(default_factory=dict)  # name -> (space, size, align)
    blocks: list = field(default_factory=list)
    bounds: tuple = ()  # .maxntid, .minnctapersm


@dataclass
class Block:
    """Instructions that run one after the other, and the blocks that may follow."""

    label: str | None
    code: list = field(default_factory=list)
    succ: list = field(default_factory=list)


@dataclass
class Variable:
    """A variable of a module or a function: its space, size and first values."""

    space: str
    name: str
    size: int
    align: int
    data: bytes


class Module:
    """What a PTX text declares."""

    def __init__(self, text: str):
        self.text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text.rstrip("\0"), flags=re.S)
        self.text = re.sub(r"//[^\n]*", "", self.text)
        self.version = re.search(r"\.version\s+(\S+)", self.text)[1]
        self.files = {int(n): name for n, name in re.findall(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', self.text, re.M)}
        self.strings = self._strings()
        self.functions: dict[str, Function] = {}
        self.variables: dict[str, Variable] = {}
        self.externs: set = set()
        self._top()

    def _strings(self) -> dict:
        """Names of inlined functions, by label of .debug_str."""
        found = {}
        for label, body in re.findall(r"^(\$L__info_string\d+):\s*\n((?:\s*\.b8[^\n]*\n)+)", self.text, re.M):
            numbers = [int(x) & 255 for x in re.findall(r"[-\d]+", body.replace(".b8", " "))]
            found[label] = bytes(n for n in numbers if n).decode("latin1")
        return found

    def _top(self) -> None:
        text, at = self.text, 0
        lines = _LineIndex(text)
        head = re.compile(
            r"\s*((?:\.visible|\.extern|\.weak|\.common)\s+)*\.(entry|func|global|const|shared|section|file|version|target|address_size|alias|pragma)\b"
        )
        while True:
            m = re.compile(r"\S").search(text, at)
            if not m:
                return
            at = m.start()
            h = head.match(text, at)
            if not h:
                at = text.find("\n", at) + 1 or len(text)
                continue
            kind, linkage = h[2], text[at : h.start(2)]
            if kind in ("version", "target", "address_size", "file"):
                at = text.find("\n", at) + 1 or len(text)
            elif kind == "section":
                at = _matching(text, text.index("{", at)) + 1
            elif kind in ("global", "const", "shared"):
                end = text.index(";", at)
                self._variable(text[h.start(2) - 1 : end])
                at = end + 1
            elif kind in ("entry", "func"):
                brace, semicolon = text.find("{", at), text.find(";", at)
                if "extern" in linkage or (0 <= semicolon < brace or brace < 0):
                    self.externs.add(_signature(text[h.start(2) - 1 : semicolon])[0])
                    at = semicolon + 1
                    continue
                close = _matching(text, brace)
                self._function(kind, text[h.start(2) - 1 : brace], text, brace + 1, close, lines)
                at = close + 1
            else:
                at = text.index(";", at) + 1

    def _variable(self, declared: str) -> None:
        space = re.match(r"\.(\w+)", declared)[1]
        left, _, right = declared.partition("=")
        m = re.search(r"\.(?:[busf]\d+)\s+([%$\w]+)\s*((?:\[\d*\])*)\s*$", left.strip())
        width = int(re.search(r"\.([busf])(\d+)\s+[%$\w]+", left)[2]) // 8
        align = int((re.search(r"\.align\s+(\d+)", left) or [0, width])[1])
        count = 1
        for n in re.findall(r"\[(\d*)\]", m[2]):
            count *= int(n or 0)
        data = b""
        if right.strip():
            values = re.findall(r"0[xX][0-9a-fA-F]+U?|-?\d+(?:\.\d+)?|0[fFdD][0-9a-fA-F]+", right)
            data = b"".join((int(v.rstrip("U"), 0) & ((1 << 8 * width) - 1)).to_bytes(width, "little") for v in values)
        self.variables[m[1]] = Variable(space, m[1], count * width, align, data)

    def _function(self, kind: str, head: str, text: str, at: int, end: int, lines) -> None:
        name, params, returns = _signature(head)
        f = Function(name, kind == "entry", params, returns)
        for key in ("maxntid", "minnctapersm", "maxnreg"):
            m = re.search(rf"\.{key}\s+(\d+)", head)
            if m:
                f.bounds += ((key, int(m[1])),)
        _Body(self, f, text, at, end, lines).read()
        self.functions[name] = f


def _signature(head: str) -> tuple:
    """(name, parameters, return values) of ``.entry name (...)`` or ``.func (...) name (...)``."""
    rest = re.sub(r"^\.(entry|func)\s*", "", head.strip())
    returns = []
    if rest.startswith("("):
        inside, rest = rest[1:].split(")", 1)
        returns = _params(inside)
    name = re.match(r"\s*([$%\w]+)", rest)[1]
    rest = rest[rest.index(name) + len(name) :]
    params = _params(rest[rest.index("(") + 1 : rest.index(")")]) if "(" in rest else []
    return name, params, returns


def _params(text: str) -> list:
    out = []
    for part in filter(str.strip, text.split(",")):
        m = re.search(
            r"\.([busf](?:8|16|32|64|128)|pred)\s+(?:\.ptr\s*(?:\.\w+\s*)*(?:\.align\s+\d+\s*)?)?([$%\w]+)\s*(?:\[(\d*)\])?\s*$",
            part.strip(),
        )
        width = int(re.search(r"\d+", m[1])[0]) // 8
        align = int((re.search(r"\.align\s+(\d+)", part) or [0, width])[1])
        out.append((m[2], m[1], width * int(m[3]) if m[3] else width, align))
    return out


class _LineIndex:
    def __init__(self, text: str):
        import bisect

        self.starts, self.find = [0], bisect.bisect_right
        for m in re.finditer("\n", text):
            self.starts.append(m.end())

    def __call__(self, at: int) -> int:
        return self.find(self.starts, at)


def _matching(text: str, at: int) -> int:
    """Place of the brace that closes the one at ``at``."""
    depth = 0
    for m in re.compile(r"[{}]|\"[^\"]*\"").finditer(text, at):
        depth += {"{": 1, "}": -1}.get(m[0], 0)
        if depth == 0:
            return m.start()
    raise ValueError("PTX: braces do not match")


class _Body:
    """Reads the statements of a function."""

    def __init__(self, module: Module, f: Function, text: str, at: int, end: int, lines):
        self.m, self.f, self.text, self.at, self.end, self.lines = module, f, text, at, end, lines
        self.scopes: list = [{}]
        self.count = 0
        self.place: tuple = ()
        self.parents: dict = {}
        self.by_line: dict = {}
        self.tables: dict = {}  # .branchtargets
        self.code: list = []  # instructions and labels

    def read(self) -> None:
        text, space = self.text, re.compile(r"\s*")
        while True:
            self.at = space.match(text, self.at, self.end).end()
            if self.at >= self.end:
                break
            c = text[self.at]
            if c == "{":
                self.scopes.append({})
                self.at += 1
            elif c == "}":
                self.scopes.pop()
                self.at += 1
            elif directive := re.compile(r"\.(loc|file)\s").match(text, self.at):
                stop = text.index("\n", self.at)
                if directive[1] == "loc":
                    self._loc(text[self.at : stop])
                self.at = stop
            else:
                label = _LABEL.match(text, self.at, self.end)
                if label:
                    self.at = label.end()
                    rest = re.compile(r"\s*\.(branchtargets|callprototype|calltargets)([^;]*);").match(text, self.at)
                    if rest:
                        self.tables[label[1]] = [s.strip() for s in rest[2].split(",")]
                        self.at = rest.end()
                    else:
                        self.code.append(self._rename(label[1]))
                    continue
                stop = text.index(";", self.at)
                self._statement(" ".join(text[self.at : stop].split()), self.lines(self.at))
                self.at = stop + 1
        self._blocks()

    def _loc(self, text: str) -> None:
        m = re.match(
            r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:,\s*function_name\s+([$\w]+)(?:\s*\+\s*\d+)?,\s*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?",
            text,
        )
        file, line, column = int(m[1]), int(m[2]), int(m[3])
        here = (self.m.strings.get(m[4], "") if m[4] else self.f.name, self.m.files.get(file, ""), line)
        outer = self.parents.get((int(m[5]), int(m[6]), int(m[7])), ()) if m[4] else ()
        place = (here, *outer)
        if not m[4]:  # loops of inlined functions often come without their function: it is that of the line
            known = self.by_line.get((file, line), ())
            if len(known) > 1:
                place = known
        else:
            self.by_line[file, line] = place
        self.place = place
        self.parents[file, line, column] = self.place

    def _rename(self, name: str) -> str:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return name

    def _declare(self, name: str) -> str:
        if len(self.scopes) == 1:
            return name
        self.count += 1
        new = f"{name}__{self.count}"
        self.scopes[-1][name] = new
        return new

    def _statement(self, s: str, line: int) -> None:
        if s.startswith(".reg"):
            kind = re.match(r"\.reg\s+\.(\w+)", s)[1]
            for part in re.sub(r"\.reg\s+\.\w+\s*", "", s).split(","):
                m = re.match(r"\s*([%$\w]+)(?:<(\d+)>)?", part)
                if m[2]:
                    for i in range(int(m[2])):
                        self.f.registers[f"{m[1]}{i}"] = kind
                else:
                    self.f.registers[self._declare(m[1])] = kind
        elif s.startswith((".local", ".param", ".shared")):
            space = s[1 : s.index(" ")]
            name, _, size, align = _params(s)[0]
            new = name if space == "shared" else self._declare(name)
            if space == "shared":
                self.m.variables[name] = Variable("shared", name, size, align, b"")
            else:
                self.f.variables[new] = (space, size, align)
        elif s.startswith("."):
            return
        else:
            self.code.append(self._instruction(s, line))

    def _instruction(self, s: str, line: int) -> Instruction:
        m = re.match(r"(?:@(!?)\s*([%$\w]+)\s+)?([\w.:]+)\s*(.*)$", s)
        guard = f"{m[1]}{self._rename(m[2])}" if m[2] else None
        op = m[3].replace("::", "_").split(".")
        rest = _NAME.sub(lambda n: self._rename(n[0]), m[4])
        return Instruction(op, _operands(rest), guard, line, self.place, s)

    def _blocks(self) -> None:
        blocks, labels = [Block(None)], {}
        for item in self.code:
            if isinstance(item, str):
                if blocks[-1].code or blocks[-1].label:
                    blocks.append(Block(item))
                blocks[-1].label = blocks[-1].label or item
                labels[item] = blocks[-1]
                continue
            wait = item.op[0] in SYNC and not (item.op[0] == "vote" and "sync" not in item.op)
            if wait and blocks[-1].code:
                blocks.append(Block(None))
            blocks[-1].code.append(item)
            if item.op[0] in ENDS:
                blocks.append(Block(None))
        if not blocks[-1].code and len(blocks) > 1 and not blocks[-1].label:
            blocks.pop()
        for i, b in enumerate(blocks):
            last = b.code[-1] if b.code else None
            after = [blocks[i + 1]] if i + 1 < len(blocks) else []
            kind = last.op[0] if last else ""
            if kind == "bra":
                b.succ = [labels[last.args[0]], *(after if last.guard else [])]
            elif kind == "brx":
                b.succ = [labels[t] for t in self.tables[last.args[1]]]
                last.args[1] = tuple(self.tables[last.args[1]])
            elif kind in ("ret", "exit", "trap"):
                b.succ = after if last.guard else []
            else:
                b.succ = after
        self.f.blocks = order(blocks)
        self.f.labels = dict(labels)


def _operands(text: str) -> list:
    """Comma-separated operands; vectors and parenthesised lists become tuples."""
    out, depth, part = [], 0, ""
    for c in text:
        if c in "{([":
            depth += 1
        elif c in "})]":
            depth -= 1
        if c == "," and depth == 0:
            out.append(part.strip())
            part = ""
        else:
            part += c
    if part.strip():
        out.append(part.strip())
    return [tuple(x.strip() for x in p[1:-1].split(",") if x.strip()) if p and p[0] in "{(" else p for p in out]
