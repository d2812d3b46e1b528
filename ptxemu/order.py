"""Order of basic blocks: bodies of loops before what follows, both branches before their join."""


def order(blocks: list) -> list:
    """Blocks in the order in which waiting lanes are picked: loop bodies lie before what follows the loop, joins after both branches.

    A reverse post order in which successors that leave the innermost loop are visited first, so they come last.
    """
    index = {id(b): i for i, b in enumerate(blocks)}
    succ = [[index[id(s)] for s in b.succ] for b in blocks]
    loops = _loop_sets(succ)
    innermost: dict = {}
    for body in sorted(loops, key=len, reverse=True):
        for i in body:
            innermost[i] = body
    seen, post, stack = [False] * len(blocks), [], []

    def ordered(i: int):
        mine = innermost.get(i)
        key = lambda s: 0 if mine is not None and s not in mine else 1
        return iter(sorted(succ[i], key=key))

    seen[0] = True
    stack.append((0, ordered(0)))
    while stack:
        i, it = stack[-1]
        for s in it:
            if not seen[s]:
                seen[s] = True
                stack.append((s, ordered(s)))
                break
        else:
            post.append(i)
            stack.pop()
    return [blocks[i] for i in reversed(post)]


def _loop_sets(succ: list) -> list:
    """Bodies of natural loops, of back edges by dominators (those of one head joined)."""
    n = len(succ)
    pred = [[] for _ in range(n)]
    for i, out in enumerate(succ):
        for s in out:
            pred[s].append(i)
    # reverse post order
    seen, post, stack = [False] * n, [], [(0, iter(succ[0]))]
    seen[0] = True
    while stack:
        i, it = stack[-1]
        for s in it:
            if not seen[s]:
                seen[s] = True
                stack.append((s, iter(succ[s])))
                break
        else:
            post.append(i)
            stack.pop()
    rpo = post[::-1]
    rank = {b: k for k, b in enumerate(rpo)}
    idom = {0: 0}
    changed = True
    while changed:
        changed = False
        for b in rpo[1:]:
            new = None
            for p in pred[b]:
                if p in idom:
                    new = p if new is None else _meet(new, p, idom, rank)
            if idom.get(b) != new:
                idom[b] = new
                changed = True
    heads: dict = {}
    for i in rpo:
        for s in succ[i]:
            d = i
            while rank[d] > rank[s]:
                d = idom[d]
            if d == s:
                body = heads.setdefault(s, {s})
                todo = [i]
                while todo:
                    x = todo.pop()
                    if x not in body:
                        body.add(x)
                        todo += [p for p in pred[x] if p in rank]
    return list(heads.values())


def _meet(a: int, b: int, idom: dict, rank: dict) -> int:
    while a != b:
        while rank[a] > rank[b]:
            a = idom[a]
        while rank[b] > rank[a]:
            b = idom[b]
    return a
