"""Near elements of two flexes, or of one with itself: pairs whose boxes overlap, by the first element and then the second.

Elements of a mesh are numbered in any order, so boxes are about 16 elements that are neighbours in a tree of boxes at
qpos0. Blocks of both flexes are compared first; an element then meets the blocks that its own block is near.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.flex_boxes import (
    BLOCK,
    Box,
    are_apart,
    box_at,
    box_of_block,
    element_box,
    flex_box,
    number_of_blocks,
    put_box,
    share_body,
    span_of_block,
)
from newtonlite.solvers.mujoco.kernels.collide.flex_list import element_at, list_block, list_part
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.struct
class PairSearch:
    """Search for elements of a second flex near one of the first."""

    box: Box
    element: int  # in the box
    flex: int  # the second
    own: bool  # whether that is the first too: only elements of a higher rank count
    cutoff: float  # [m]


@wp.func
def tree_box(m: ModelFields, d: DataFields, world: int, f: int, k: int) -> Box:
    """Box about block ``k`` of the tree of a flex."""
    return box_at(d.flextree_box, world, m.flexblock_adr[f] + k)


@wp.func
def find_tree_boxes(m: ModelFields, d: DataFields, world: int, f: int, lane: int, nlane: int):
    """``flextree_box`` of a flex, from the boxes of its elements."""
    for k in range(lane, number_of_blocks(m, f), nlane):
        b = box_of_block(d, m.flextree_elem, world, span_of_block(m, f, k))
        put_box(d.flextree_box, world, m.flexblock_adr[f] + k, b)
    sync()


@wp.func
def list_blocks(
    m: ModelFields, d: DataFields, world: int, box: Box, f: int, cutoff: float, lane: int, nlane: int
) -> int:
    """List the blocks of a flex that are near a box at the beginning of ``flexnear_block``; how many."""
    listed = int(0)
    for k in range(0, number_of_blocks(m, f), nlane):
        near = bool(False)
        if k + lane < number_of_blocks(m, f):
            near = not are_apart(box, tree_box(m, d, world, f, k + lane), cutoff)
        listed = list_block(m, d, world, near, k + lane, listed)
    sync()
    return listed


@wp.func
def list_block_pairs(
    m: ModelFields, d: DataFields, world: int, s: PairSearch, f1: int, number: int, lane: int, nlane: int
):
    """``flexnear_ofblock``: where in ``flexnear_block``, behind the ``number`` blocks of the second flex that are near
    the first, those near each block of the first begin, and how many they are.
    """
    end = int(number)
    for k1 in range(number_of_blocks(m, f1)):
        box = tree_box(m, d, world, f1, k1)
        begin = int(end)
        if not are_apart(box, flex_box(d, world, s.flex), s.cutoff):
            for i in range(0, number, nlane):
                near = bool(False)
                k2 = int(0)
                if i + lane < number:
                    k2 = d.flexnear_block[world, i + lane]
                    near = not are_apart(box, tree_box(m, d, world, s.flex, k2), s.cutoff)
                end = list_block(m, d, world, near, k2, end)
        # one whose list does not fit meets all blocks that are near the first flex
        found = wp.vec2i(begin, end - begin)
        if end > m.nflexnearblock:
            found = wp.vec2i(0, number)
            end = int(begin)
        if lane == 0:
            d.flexnear_ofblock[world, k1] = found
    sync()


@wp.func
def is_near_element(m: ModelFields, d: DataFields, world: int, s: PairSearch, e: int) -> bool:
    """Whether an element of the second flex is near, and can touch the first."""
    if (s.own and m.flexelem_rank[e] <= m.flexelem_rank[s.element]) or are_apart(
        s.box, element_box(d, world, e), s.cutoff
    ):
        return False
    return not share_body(m, s.element, e)


@wp.func
def sort_second(d: DataFields, world: int, begin: int, end: int):
    """Put listed pairs of one first element in the order of the second: some tens, by insertion. One lane."""
    for i in range(begin + 1, end):
        pair = d.flexnear[world, i]
        k = int(i)
        while k > begin and d.flexnear[world, k - 1][1] > pair[1]:
            d.flexnear[world, k] = d.flexnear[world, k - 1]
            k -= 1
        d.flexnear[world, k] = pair


@wp.func
def near_of_element(
    m: ModelFields, d: DataFields, world: int, s: PairSearch, blocks: wp.vec2i, listed: int, lane: int, nlane: int
) -> int:
    """List the elements near one of the first flex, in blocks ``blocks[0] ..`` of ``flexnear_block``; how many are listed
    then.
    """
    total = int(listed)
    for i in range(blocks[0], blocks[0] + blocks[1]):
        k = d.flexnear_block[world, i]
        if not are_apart(s.box, tree_box(m, d, world, s.flex, k), s.cutoff):
            span = span_of_block(m, s.flex, k)
            for start in range(span[0], span[1], nlane):
                e = element_at(m.flextree_elem, start + lane, span[1])
                near = bool(False)
                if e >= 0:
                    near = is_near_element(m, d, world, s, e)
                total = list_part(d, world, near, wp.vec2i(s.element, e), total)
    sync()
    if lane == 0:
        sort_second(d, world, listed, total)
    sync()
    return total


@wp.func
def near_of_flex(
    m: ModelFields, d: DataFields, world: int, group: int, cutoff: float, begin: int, lane: int, nlane: int
) -> wp.vec2i:
    """Elements of the second flex, or of the same after it, that each of the first is near, in turn from number
    ``begin`` on while there is room; how many, and with which to go on.
    """
    f1 = m.flexgroup_other[group]
    s = PairSearch()
    s.flex = m.flexgroup_flex[group]
    s.cutoff = cutoff
    s.own = f1 == s.flex
    number = m.flexactive_num[f1]
    if are_apart(flex_box(d, world, f1), flex_box(d, world, s.flex), cutoff):
        return wp.vec2i(0, number)

    # blocks first: the second flex's that are near the first, and of these those near each block of the first
    if begin == 0:
        find_tree_boxes(m, d, world, f1, lane, nlane)
        if not s.own:
            find_tree_boxes(m, d, world, s.flex, lane, nlane)
        near = list_blocks(m, d, world, flex_box(d, world, f1), s.flex, cutoff, lane, nlane)
        list_block_pairs(m, d, world, s, f1, near, lane, nlane)

    # then elements, as numbered
    first = m.flexactive_adr[f1]
    listed = int(0)
    i = int(begin)
    while i < number and listed + m.flexactive_num[s.flex] <= m.nflexnear:
        blocks = d.flexnear_ofblock[world, m.flextree_place[first + i] / BLOCK]
        if blocks[1] > 0:
            s.element = m.flexactive_elem[first + i]
            s.box = element_box(d, world, s.element)
            listed = near_of_element(m, d, world, s, blocks, listed, lane, nlane)
        i += 1
    return wp.vec2i(listed, i)
