"""Opcodes of memory: loads, stores and atomic operations."""

import re

from ptxemu.kinds import ATOM, ATOM_TYPE, SCALAR, SPACE, handler, width


class Memory:
    """Loads, stores and atomic operations."""

    @staticmethod
    def _space(i) -> int:
        return next((SPACE[x.split("_")[0]] for x in i.op if x.split("_")[0] in SPACE), 0)

    def _place(self, text: str, i) -> tuple:
        """(address slot, offset, space) of a load or store; parameters of device functions lie in the caller's frame."""
        m = re.fullmatch(r"\[([\w$]+)(?:\+(\d+))?\]", text)
        if "param" in i.op and m and m[1] not in self.width:
            name, off = m[1], int(m[2] or 0)
            if name in self.f.variables:
                return self.symbol(name, 64), off, 4
            if name in self.formal and not self.f.entry:
                return self.constant("formal", self.formal[name][1]), off, 4
        if self._space(i) == 1 and m and m[1] in self.width and self.width[m[1]] == 32:
            return self.slot[m[1]], int(m[2] or 0), 5  # 32-bit addresses of shared memory
        place = re.fullmatch(r"\[([\w$%]+)\+?(-?\w+)?\]", text)
        if self._space(i) == 1 and place and place[1] in self.width and self.width[place[1]] == 32:
            return self.slot[place[1]], int(place[2] or "0", 0), 5
        a, off = self.address(text)
        return a, off, self._space(i)

    def op_ld(self, i):
        d = i.args[0] if isinstance(i.args[0], tuple) else (i.args[0],)
        kind = i.op[-1]
        size = int(kind[1:]) // 8
        m = re.fullmatch(r"\[([\w$]+)(?:\+(\d+))?\]", i.args[1])
        if "param" in i.op and self.f.entry and m and m[1] in self.entry_offset:
            for k, r in enumerate(d):
                if r != "_":
                    c = SCALAR[kind if kind[0] != "f" else f"u{kind[1:]}"]
                    self.lanes_imm(
                        r,
                        f"{c[0]}{self.width[r]}",
                        f"*(const {c}*)(w->g->param + o->imm)",
                        self.entry_offset[m[1]] + int(m[2] or 0) + k * size,
                    )
            return
        a, off, space = self._place(i.args[1], i)
        dst, after = [], []
        for r in d:
            if r == "_":
                dst.append(self.temporary())
            elif size * 8 == self.width[r]:
                dst.append(self.slot[r])
            else:
                dst.append(self.temporary())
                after.append((r, dst[-1]))
        self.op(
            f"rt_ld{size}",
            d=len(d),
            a=a,
            c=space,
            x=(*dst, 0, 0, 0)[:4],
            imm=off,
            site=self.site(i) if space != 4 else -1,
        )
        for r, t in after:
            signed = "s" if kind[0] == "s" else "u"
            self.lanes_to(
                self.slot[r], f"u{self.width[r]}", f"({signed}{self.width[r]})a", ("a", t, f"{signed}{size * 8}")
            )

    op_ldu = op_ld

    def lanes_imm(self, d: str, kind: str, expr: str, imm: int) -> None:
        key = f"{kind}|{expr}|"
        if key not in self.t.handlers:
            self.t.handlers[key] = handler(kind, expr, [])
        self.op(key, d=self.slot[d], imm=imm)

    def op_st(self, i):
        s = i.args[1] if isinstance(i.args[1], tuple) else (i.args[1],)
        kind = i.op[-1]
        size = int(kind[1:]) // 8
        a, off, space = self._place(i.args[0], i)
        src = []
        for r in s:
            bits = self.width.get(r, width(kind))
            v = self.value(r, f"u{bits}")
            if size * 8 != bits:
                t = self.temporary()
                self.lanes_to(t, f"u{size * 8}", "a", ("a", v, f"u{bits}"))
                v = t
            src.append(v)
        self.op(
            f"rt_st{size}",
            d=len(s),
            a=a,
            c=space,
            x=(*src, 0, 0, 0)[:4],
            imm=off,
            site=self.site(i) if space != 4 else -1,
        )

    def op_prefetch(self, i):
        return

    op_prefetchu = op_membar = op_fence = op_pragma = op_discard = op_applypriority = op_nanosleep = (
        op_griddepcontrol
    ) = op_prefetch

    def op_atom(self, i):
        kind = i.op[-1]
        what = next(x for x in i.op[1:] if x in ATOM)
        result = i.op[0] == "atom"
        rest = i.args[1:] if result else i.args
        a, off, space = self._place(rest[0], i)
        b = self.value(rest[1], kind)
        c = self.value(rest[2], kind) if len(rest) > 2 else 0
        t = self.temporary()
        self.op(
            "rt_atom", d=t, a=a, b=b, c=space, e=c, x=(ATOM[what], ATOM_TYPE[kind], 0, 0), imm=off, site=self.site(i)
        )
        if result and i.args[0] != "_":
            self.lanes_to(self.slot[i.args[0]], f"u{width(kind)}", "a", ("a", t, f"u{width(kind)}"))

    op_red = op_atom
