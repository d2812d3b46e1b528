"""Opcodes that compute: numbers, bits and addresses, each lane by itself."""

from ptxemu.kinds import SCALAR, Unsupported, width
from ptxemu.parse import Instruction


class Arithmetic:
    """Moves, sums, products, functions and bits."""

    def unknown(self, i: Instruction):
        raise Unsupported("opcode")

    def op_mov(self, i):
        d, a = i.args
        kind = "pred" if i.op[-1] == "pred" else f"u{width(i.op[-1])}"
        if isinstance(d, tuple):
            part = width(kind) // len(d)
            for k, r in enumerate(d):
                if r != "_":
                    self.lanes(i, r, f"u{self.width[r]}", f"(u{part})(a >> {part * k})", ("a", a, kind))
            return None
        if isinstance(a, tuple):
            part = width(kind) // len(a)
            names = "abce"[: len(a)]
            e = " | ".join(f"(u{width(kind)}){n} << {part * k}" for k, n in enumerate(names))
            return self.lanes(i, d, kind, e, *((n, r, f"u{part}") for n, r in zip(names, a)))
        if kind != "pred":
            kind = f"u{self.width[d]}"
        return self.lanes(i, d, kind, "a", ("a", a, kind))

    def op_cvta(self, i):
        d, a = i.args
        if any(x.startswith("shared") for x in i.op):
            return self.lanes(i, d, "u64", f"a {'-' if 'to' in i.op else '+'} (u64)w->g->smem", ("a", a, "u64"))
        return self.lanes(i, d, "u64", "a", ("a", a, "u64"))

    def op_isspacep(self, i):
        shared, local = (
            "(a >= (u64)w->g->smem && a < (u64)w->g->smem + w->g->smem_size)",
            "(a >= (u64)w->arena && a < (u64)w->arena_end)",
        )
        e = {"shared": shared, "local": local, "global": f"!({shared} || {local})"}[i.op[1].split("_")[0]]
        return self.lanes(i, i.args[0], "pred", f"-(s32)({e})", ("a", i.args[1], "u64"))

    def binary(self, i, operator):
        kind = i.op[-1]
        if kind[0] != "f":
            kind = f"u{width(kind)}"  # signed arithmetic wraps
        e = f"a {operator} b"
        return self.lanes(
            i,
            i.args[0],
            kind,
            f"sat_({e})" if "sat" in i.op and kind == "f32" else e,
            ("a", i.args[1], kind),
            ("b", i.args[2], kind),
        )

    def op_add(self, i):
        return self.binary(i, "+")

    def op_sub(self, i):
        return self.binary(i, "-")

    def op_mul(self, i):
        kind = i.op[-1]
        d, a, b = i.args
        bits = width(kind)
        if kind[0] == "f":
            return self.binary(i, "*")
        if "wide" in i.op:
            to = f"{kind[0]}{2 * bits}"
            return self.lanes(i, d, to, f"({to})a * ({to})b", ("a", a, kind), ("b", b, kind))
        if "hi" in i.op:
            big = (
                {16: "s32", 32: "s64", 64: "__int128"}[bits]
                if kind[0] == "s"
                else {16: "u32", 32: "u64", 64: "unsigned __int128"}[bits]
            )
            return self.lanes(i, d, kind, f"(({big})a * ({big})b) >> {bits}", ("a", a, kind), ("b", b, kind))
        return self.binary(i, "*")

    def op_mad(self, i):
        kind = i.op[-1]
        d, a, b, c = i.args
        bits = width(kind)
        if kind[0] == "f":
            return self.op_fma(i)
        if "wide" in i.op:
            to = f"{kind[0]}{2 * bits}"
            return self.lanes(
                i,
                d,
                f"u{2 * bits}",
                f"(u{2 * bits})(({to})a * ({to})b) + c",
                ("a", a, kind),
                ("b", b, kind),
                ("c", c, f"u{2 * bits}"),
            )
        if "hi" in i.op:
            big = {32: "s64", 64: "__int128"}[bits] if kind[0] == "s" else {32: "u64", 64: "unsigned __int128"}[bits]
            return self.lanes(
                i,
                d,
                f"u{bits}",
                f"(u{bits})((({big})a * ({big})b) >> {bits}) + c",
                ("a", a, kind),
                ("b", b, kind),
                ("c", c, f"u{bits}"),
            )
        u = f"u{bits}"
        return self.lanes(i, d, u, "a * b + c", ("a", a, u), ("b", b, u), ("c", c, u))

    def op_fma(self, i):
        kind = i.op[-1]
        d, a, b, c = i.args
        e = "__builtin_fmaf(a, b, c)" if kind == "f32" else "__builtin_fma(a, b, c)"
        return self.lanes(
            i, d, kind, f"sat_({e})" if "sat" in i.op else e, ("a", a, kind), ("b", b, kind), ("c", c, kind)
        )

    def op_div(self, i):
        kind = i.op[-1]
        if kind[0] == "f":
            return self.binary(i, "/")
        return self.lanes(i, i.args[0], kind, f"div_<{kind}>(a, b)", ("a", i.args[1], kind), ("b", i.args[2], kind))

    def op_rem(self, i):
        kind = i.op[-1]
        return self.lanes(i, i.args[0], kind, f"rem_<{kind}>(a, b)", ("a", i.args[1], kind), ("b", i.args[2], kind))

    def unary(self, i, expr, kind=None):
        kind = kind or i.op[-1]
        return self.lanes(i, i.args[0], kind, expr, ("a", i.args[1], kind))

    def op_rcp(self, i):
        return self.unary(i, "flush(1 / flush(a))" if "ftz" in i.op and i.op[-1] == "f32" else "1 / a")

    def op_sqrt(self, i):
        return self.unary(i, "__builtin_sqrtf(a)" if i.op[-1] == "f32" else "__builtin_sqrt(a)")

    def op_rsqrt(self, i):
        return self.unary(
            i, "(float)(1.0 / __builtin_sqrt((double)a))" if i.op[-1] == "f32" else "1.0 / __builtin_sqrt(a)"
        )

    def op_sin(self, i):
        return self.unary(i, "(float)sin((double)a)")

    def op_cos(self, i):
        return self.unary(i, "(float)cos((double)a)")

    def op_ex2(self, i):
        return self.unary(i, "(float)exp2((double)a)")

    def op_lg2(self, i):
        return self.unary(i, "(float)log2((double)a)")

    def op_tanh(self, i):
        return self.unary(i, "(float)tanh((double)a)")

    def op_abs(self, i):
        kind = i.op[-1]
        return self.unary(i, {"f32": "__builtin_fabsf(a)", "f64": "__builtin_fabs(a)"}.get(kind, "a < 0 ? -a : a"))

    def op_neg(self, i):
        kind = i.op[-1]
        return self.unary(i, "-a", kind if kind[0] == "f" else f"u{width(kind)}")

    def op_copysign(self, i):
        kind = i.op[-1]
        d, a, b = i.args
        return self.lanes(
            i, d, kind, f"__builtin_copysign{'f' if kind == 'f32' else ''}(b, a)", ("a", a, kind), ("b", b, kind)
        )

    def _minmax(self, i, name, sign):
        kind = i.op[-1]
        d, a, b = i.args[:3]
        e = f"{name}_<{SCALAR[kind]}>(a, b)" if kind[0] == "f" else f"a {sign} b ? a : b"
        return self.lanes(i, d, kind, e, ("a", a, kind), ("b", b, kind))

    def op_min(self, i):
        return self._minmax(i, "min", "<")

    def op_max(self, i):
        return self._minmax(i, "max", ">")

    def _logic(self, i, operator):
        kind = "pred" if i.op[-1] == "pred" else f"u{width(i.op[-1])}"
        return self.lanes(i, i.args[0], kind, f"a {operator} b", ("a", i.args[1], kind), ("b", i.args[2], kind))

    def op_and(self, i):
        return self._logic(i, "&")

    def op_or(self, i):
        return self._logic(i, "|")

    def op_xor(self, i):
        return self._logic(i, "^")

    def op_not(self, i):
        return self.unary(i, "~a", "pred" if i.op[-1] == "pred" else f"u{width(i.op[-1])}")

    def op_cnot(self, i):
        return self.unary(i, "a == 0", f"u{width(i.op[-1])}")

    def op_shl(self, i):
        u = f"u{width(i.op[-1])}"
        return self.lanes(
            i,
            i.args[0],
            u,
            f"b >= {width(u)} ? 0 : ({u})(a << (b & {width(u) - 1}))",
            ("a", i.args[1], u),
            ("b", i.args[2], "u32"),
        )

    def op_shr(self, i):
        kind = i.op[-1]
        bits = width(kind)
        k = f"{'s' if kind[0] == 's' else 'u'}{bits}"
        e = f"a >> (b >= {bits} ? {bits - 1} : b)" if k[0] == "s" else f"b >= {bits} ? 0 : a >> (b & {bits - 1})"
        return self.lanes(i, i.args[0], k, e, ("a", i.args[1], k), ("b", i.args[2], "u32"))

    def op_shf(self, i):
        d, a, b, c = i.args
        return self.lanes(
            i,
            d,
            "u32",
            f"shf_(a, b, c, {int(i.op[1] == 'l')}, {int('wrap' in i.op)})",
            ("a", a, "u32"),
            ("b", b, "u32"),
            ("c", c, "u32"),
        )

    def op_bfe(self, i):
        kind = i.op[-1]
        d, a, b, c = i.args
        return self.lanes(i, d, kind, "bfe_(a, b, c)", ("a", a, kind), ("b", b, "u32"), ("c", c, "u32"))

    def op_bfi(self, i):
        kind = f"u{width(i.op[-1])}"
        d, a, b, c, e = i.args
        return self.lanes(
            i, d, kind, "bfi_(a, b, c, e)", ("a", a, kind), ("b", b, kind), ("c", c, "u32"), ("e", e, "u32")
        )

    def op_prmt(self, i):
        d, a, b, c = i.args
        return self.lanes(i, d, "u32", "prmt_(a, b, c)", ("a", a, "u32"), ("b", b, "u32"), ("c", c, "u32"))

    def op_lop3(self, i):
        d, a, b, c, t = i.args
        return self.lanes(
            i, d, "u32", f"lop3_(a, b, c, {int(t, 0)})", ("a", a, "u32"), ("b", b, "u32"), ("c", c, "u32")
        )

    def op_popc(self, i):
        return self.lanes(i, i.args[0], "u32", "__builtin_popcountll((u64)a)", ("a", i.args[1], f"u{width(i.op[-1])}"))

    def op_clz(self, i):
        bits = width(i.op[-1])
        return self.lanes(
            i, i.args[0], "u32", f"a ? __builtin_clzll((u64)a) - {64 - bits} : {bits}", ("a", i.args[1], f"u{bits}")
        )

    def op_brev(self, i):
        return self.unary(i, "brev_(a)", f"u{width(i.op[-1])}")

    def op_bfind(self, i):
        kind = i.op[-1]
        return self.lanes(
            i,
            i.args[0],
            "u32",
            "find_(a)" if "shiftamt" not in i.op else f"a ? {width(kind) - 1} - find_(a) : ~0u",
            ("a", i.args[1], kind),
        )

    def op_sad(self, i):
        kind = i.op[-1]
        return self.lanes(
            i, i.args[0], kind, "c + (a < b ? b - a : a - b)", *((n, x, kind) for n, x in zip("abc", i.args[1:]))
        )

    def op_testp(self, i):
        e = {
            "finite": "__builtin_isfinite(a)",
            "infinite": "__builtin_isinf(a)",
            "number": "a == a",
            "notanumber": "a != a",
            "normal": "__builtin_isnormal(a)",
            "subnormal": "(a != 0 && __builtin_isfinite(a) && !__builtin_isnormal(a))",
        }[i.op[1]]
        return self.lanes(i, i.args[0], "pred", f"-(s32)!!({e})", ("a", i.args[1], i.op[-1]))
