"""Types of PTX and of C, special registers, and the C source of a handler."""

import re

SCALAR = {
    "u8": "u8",
    "s8": "s8",
    "b8": "u8",
    "u16": "u16",
    "s16": "s16",
    "b16": "u16",
    "u32": "u32",
    "s32": "s32",
    "b32": "u32",
    "u64": "u64",
    "s64": "s64",
    "b64": "u64",
    "f32": "float",
    "f64": "double",
    "pred": "s32",
}
COMPARE = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "lo": "<",
    "ls": "<=",
    "hi": ">",
    "hs": ">=",
}
OPPOSITE = {"eq": "!=", "ne": "==", "lt": ">=", "le": ">", "gt": "<=", "ge": "<"}
ATOM = {"add": 0, "min": 1, "max": 2, "exch": 3, "cas": 4, "and": 5, "or": 6, "xor": 7, "inc": 8, "dec": 9}
ATOM_TYPE = {"u32": 0, "b32": 0, "s32": 1, "u64": 2, "b64": 2, "s64": 3, "f32": 4, "f64": 5}
SPACE = {"global": 0, "shared": 1, "local": 2, "const": 3, "param": 3}
SPECIAL = [
    "%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z",
    "%laneid", "%warpid", "%nwarpid", "%smid", "WARP_SZ", "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge",
    "%clock", "%clock64", "%globaltimer", "%dynamic_smem_size", "%total_smem_size", "%cluster_ctarank", "%cluster_nctarank", "%clock_hi",
]  # fmt: skip
"""In the order in which the runtime fills them, as vectors of 32 bits (64: those named so)."""
WIDE_SPECIAL = ("%clock64", "%globaltimer")
STRIDE = 256  # bytes of a slot


def width(kind: str) -> int:
    """Bits of a register type; 0 for predicates."""
    return 0 if kind == "pred" else max(16, int(re.search(r"\d+", kind)[0]))


class Unsupported(Exception):
    """An instruction the emulator does not know; the kernel runs until it meets it."""


def handler(kind: str, expr: str, args: list) -> str:
    """C source of a handler, but for its name."""
    ctype = SCALAR[kind]
    head = " ".join(
        f"const {SCALAR[k]}* {n}_ = (const {SCALAR[k]}*)(f + o->{slot} * {STRIDE}ull);"
        for (n, k), slot in zip(args, "abce")
    )
    each = " ".join(f"const {SCALAR[k]} {n} = {n}_[l];" for n, k in args)
    return (
        f"(const Op* o, u8* f, Warp* w) {{ {ctype}* d_ = ({ctype}*)(f + o->d * {STRIDE}ull); {head} const s32* M = w->M;\n"
        f'  if (w->m == FULL) {{ _Pragma("GCC ivdep") for (int l = 0; l < 32; l++) {{ {each} d_[l] = ({ctype})({expr}); }} }}\n'
        f'  else {{ _Pragma("GCC ivdep") for (int l = 0; l < 32; l++) {{ {each} const {ctype} r = ({ctype})({expr}); d_[l] = M[l] ? r : d_[l]; }} }} }}'
    )
