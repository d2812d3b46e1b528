"""Opcodes that compare, choose and convert, each lane by itself."""

import re

from ptxemu.kinds import COMPARE, OPPOSITE, SCALAR, Unsupported, width


class Conversion:
    """Comparisons, choices and conversions."""

    @staticmethod
    def comparison(cmp: str, kind: str) -> str:
        """Condition of a comparison of ``a`` and ``b``."""
        if kind[0] == "f":
            special = {
                "num": "a == a && b == b",
                "nan": "a != a || b != b",
                "ne": "a < b || a > b",
                "neu": "a != b",
                "equ": "!(a < b || a > b)",
            }
            if cmp in special:
                return special[cmp]
            if cmp.endswith("u") and cmp[:-1] in OPPOSITE:
                return f"!(a {OPPOSITE[cmp[:-1]]} b)"
        return f"a {COMPARE[cmp]} b"

    def op_setp(self, i):
        kind = i.op[-1]
        test = self.comparison(i.op[1], kind)
        given = [("a", i.args[1], kind), ("b", i.args[2], kind)]
        both = i.args[0].split("|")
        how = ""
        if len(i.args) > 3:
            p = i.args[3]
            how = f" {dict(zip(('and', 'or', 'xor'), '&|^'))[i.op[2]]} ({'~' if p.startswith('!') else ''}c)"
            given.append(("c", p.lstrip("!"), "pred"))
        slots = [(n, self.value(a, k), k) for n, a, k in given]
        for r, neg in zip(both, ("", "!")):
            if r != "_":
                if len(both) > 1 and r == both[0]:
                    t = self.temporary()
                    self.lanes_to(t, "pred", f"(-(s32)({test})){how}", *slots)
                    continue
                self.lanes_to(self.slot[r], "pred", f"(-(s32){neg}({test})){how}", *slots)
        if len(both) > 1 and both[0] != "_":
            self.lanes_to(self.slot[both[0]], "pred", "a", ("a", t, "pred"))

    def op_set(self, i):
        kind, to = i.op[-1], i.op[-2]
        test = self.comparison(i.op[1], kind)
        return self.lanes(
            i,
            i.args[0],
            to,
            f"({test}) ? {'1.0f' if to == 'f32' else '~0u'} : 0",
            ("a", i.args[1], kind),
            ("b", i.args[2], kind),
        )

    def op_selp(self, i):
        u = f"u{width(i.op[-1])}"
        d, a, b, p = i.args
        return self.lanes(
            i,
            d,
            u,
            f"{'!' if p.startswith('!') else ''}c ? a : b",
            ("a", a, u),
            ("b", b, u),
            ("c", p.lstrip("!"), "pred"),
        )

    def op_slct(self, i):
        d, a, b, c = i.args
        u = f"u{width(i.op[-2])}"
        return self.lanes(i, d, u, "c >= 0 ? a : b", ("a", a, u), ("b", b, u), ("c", c, i.op[-1]))

    def op_cvt(self, i):
        to, kind = [x for x in i.op[1:] if re.fullmatch(r"[busf]\d+|bf16|f16x2|tf32", x)][:2]
        d, a = i.args
        bits = self.width[d]
        have = self.width.get(a, width(kind) if kind not in ("f16", "bf16") else 16)
        if to[0] in "us" and kind[0] in "us":
            if "sat" in i.op:
                lo = "0" if to[0] == "u" else f"-(1ll << {int(to[1:]) - 1})"
                hi = f"(1ll << {int(to[1:]) - (to[0] == 's')}) - 1"
                e = f"(s64)x < {lo} ? {lo} : (s64)x > {hi} ? {hi} : (s64)x"
                e = f"({{ const {SCALAR[kind]} x = ({SCALAR[kind]})a; {e}; }})"
                return self.lanes(i, d, f"{to[0]}{bits}", e, ("a", a, f"u{have}"))
            return self.lanes(i, d, f"{to[0]}{bits}", f"({SCALAR[to]})({SCALAR[kind]})a", ("a", a, f"u{have}"))
        how = next((x for x in i.op if x in ("rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna")), "")
        if kind in ("f16", "bf16"):
            if to == "f32":
                return self.lanes(i, d, "f32", "h2f_(a)" if kind == "f16" else "f_((u32)a << 16)", ("a", a, "u16"))
            raise Unsupported("half")
        if to in ("f16", "bf16"):
            return self.lanes(
                i,
                d,
                "u16",
                "f2h_((float)a)" if to == "f16" else "a != a ? 0x7fff : (u_(a) + 0x7fff + (u_(a) >> 16 & 1)) >> 16",
                ("a", a, kind),
            )
        if to == "tf32":
            return self.lanes(i, d, "u32", "(u_(a) + 0x1000) & ~0x1fffu", ("a", a, "f32"))
        if to[0] in "us":
            f = "f" if kind == "f32" else ""
            r = {"rni": "rint_(a)", "rzi": "a", "rmi": f"__builtin_floor{f}(a)", "rpi": f"__builtin_ceil{f}(a)"}[how]
            return self.lanes(i, d, f"{to[0]}{bits}", f"clampi<{SCALAR[to]}>({r})", ("a", a, kind))
        if kind[0] in "us":
            x = f"({SCALAR[kind]})a"
            e = f"({SCALAR[to]})({x})"
            if how in ("rz", "rm", "rp") and int(kind[1:]) <= 32:
                e = self._directed(to, how, f"(double)({x})", "double")
            return self.lanes(i, d, to, e, ("a", a, f"u{have}"))
        f = "f" if kind == "f32" else ""
        r = {
            "rni": "rint_(a)",
            "rzi": f"__builtin_trunc{f}(a)",
            "rmi": f"__builtin_floor{f}(a)",
            "rpi": f"__builtin_ceil{f}(a)",
            "rn": "a",
            "": "a",
        }.get(how)
        if r is None:
            r = self._directed(to, how, "a", SCALAR[kind])
        if "sat" in i.op:
            r = f"sat_({r})"
        return self.lanes(i, d, to, f"({SCALAR[to]})({r})", ("a", a, kind))

    @staticmethod
    def _directed(to, how, x, kind):
        """Conversion to float rounded to zero, down or up."""
        if to != "f32":
            return x
        test = {
            "rz": "fabs((double)r_) > fabs((double)y_) ? nextafterf(r_, 0.0f) : r_",
            "rm": "(double)r_ > (double)y_ ? nextafterf(r_, -INFINITY) : r_",
            "rp": "(double)r_ < (double)y_ ? nextafterf(r_, INFINITY) : r_",
        }[how]
        return f"({{ {kind} y_ = {x}; float r_ = (float)y_; {test}; }})"
