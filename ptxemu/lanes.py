"""Opcodes in which lanes meet: barriers, shuffles, votes, and calls."""

from ptxemu.kinds import SCALAR, Unsupported, width


class Lanes:
    """Barriers, shuffles, votes, and calls."""

    def op_bar(self, i):
        if "red" in i.op or "arrive" in i.op:
            raise Unsupported("bar.red, bar.arrive")
        self.op("rt_wait", imm=1 if "warp" in i.op else 2)

    op_barrier = op_bar

    def op_shfl(self, i):
        both = i.args[0].split("|")
        kind = {"up": 0, "down": 1, "bfly": 2, "idx": 3}[next(x for x in i.op if x in ("up", "down", "bfly", "idx"))]
        d = self.slot[both[0]] if both[0] != "_" else self.temporary()
        p = self.slot[both[1]] if len(both) > 1 else self.temporary()
        self.op(
            "rt_shfl",
            d=d,
            a=self.value(i.args[1], "u32"),
            b=self.value(i.args[2], "u32"),
            c=self.value(i.args[3], "u32"),
            e=p,
            imm=kind,
        )
        self.op("rt_wait", imm=3)

    def op_vote(self, i):
        what = next(x for x in i.op if x in ("all", "any", "uni", "ballot"))
        p = i.args[1]
        e = {"ballot": "q", "any": "-(s32)(q != 0)", "all": "-(s32)(q == w->m)", "uni": "-(s32)(q == w->m || !q)"}[what]
        e = f"({{ const u32 q = {'~' if p.startswith('!') else ''}lanes_(a_) & w->m; {e}; }})"
        self.lanes(i, i.args[0], "u32" if what == "ballot" else "pred", e, ("a", p.lstrip("!"), "pred"))
        if "sync" in i.op:
            self.op("rt_wait", imm=3)

    def op_activemask(self, i):
        self.lanes(i, i.args[0], "u32", "w->m")

    def op_elect(self, i):
        both = i.args[0].split("|")
        if both[0] != "_":
            self.lanes(i, both[0], "u32", "__builtin_ctz(w->m)")
        self.lanes(i, both[1], "pred", "-(s32)(l == __builtin_ctz(w->m))")

    def op_match(self, i):
        both = i.args[0].split("|")
        bits = width(i.op[-1])
        p = self.slot[both[1]] if len(both) > 1 else self.temporary()
        self.op(
            "rt_match",
            d=self.slot[both[0]],
            a=self.value(i.args[1], f"u{bits}"),
            e=p,
            imm=int("any" in i.op),
            x=(bits // 8, 0, 0, 0),
        )
        self.op("rt_wait", imm=3)

    def op_redux(self, i):
        kind = i.op[-1]
        what = next(x for x in i.op if x in ("add", "min", "max", "and", "or", "xor"))
        e = {
            "add": "r + x",
            "min": "x < r ? x : r",
            "max": "x > r ? x : r",
            "and": "r & x",
            "or": "r | x",
            "xor": "r ^ x",
        }[what]
        c = SCALAR[kind]
        e = f"({{ {c} r = a_[__builtin_ctz(w->m)]; for (u32 k = w->m & (w->m - 1); k; k &= k - 1) {{ const {c} x = a_[__builtin_ctz(k)]; r = {e}; }} r; }})"
        t = self.temporary()
        self.lanes_to(t, kind, e, ("a", self.value(i.args[1], kind), kind))
        self.lanes_to(self.slot[i.args[0]], kind, "a", ("a", t, kind))
        self.op("rt_wait", imm=3)

    def op_call(self, i):
        args = list(i.args)
        returned = args.pop(0) if isinstance(args[0], tuple) else ()
        name = args.pop(0)
        given = [*(args[0] if args else ()), *returned]
        if name == "vprintf":
            return self.op("rt_printf", a=self.symbol(given[0], 64), b=self.symbol(given[1], 64))
        if name not in self.t.names:
            raise Unsupported(f"call of {name}")
        self.tables.append([self.symbol(p, 64) for p in given])
        self.op("rt_callf", a=self.t.names.index(name), b=len(self.tables) - 1, c=len(given))
