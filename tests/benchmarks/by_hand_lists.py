"""Those programs of `user_programs` in Python, by hand, that work on lists: of immutable pairs `(car, cdr)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

NIL: tuple[()] = ()


WORDS = "the cat and the dog and the bird saw a man and a child with the cat of a man"


def from_list(items: Any) -> Any:
    result: Any = NIL
    for item in reversed(list(items)):
        result = (item, result)
    return result


def lattice(n: int) -> int:
    def compare_booleans(a: bool, b: bool) -> str:
        return "equal" if a is b else "more" if a else "less"

    def compare_products(a: Any, b: Any) -> str:
        so_far = "equal"
        while a:
            now = compare_booleans(a[0], b[0])
            if now != "equal":
                if so_far not in ("equal", now):
                    return "uncomparable"
                so_far = now
            a, b = a[1], b[1]
        return so_far

    def maps(domain: Any, range_: Any) -> Any:
        (elements, compare_from), (values, compare_to) = domain, range_

        def fits(element: Any, value: Any, found: Any) -> bool:
            while found:
                (other, image), found = found
                below = compare_from(other, element)
                if below == "less" and compare_to(image, value) not in ("less", "equal"):
                    return False
                if below == "more" and compare_to(image, value) not in ("more", "equal"):
                    return False
            return True

        def extend(elements: Any, chosen: Any, found: Any) -> Any:
            if not elements:
                return (chosen, found)
            left = values
            while left:
                value, left = left
                if fits(elements[0], value, chosen):
                    found = extend(elements[1], ((elements[0], value), chosen), found)
            return found

        return extend(elements, NIL, NIL)

    booleans = from_list([False, True]), compare_booleans
    squares = from_list([from_list([a, b]) for a in (False, True) for b in (False, True)]), compare_products
    return sum(_length(maps(squares, squares)) + _length(maps(squares, booleans)) for _ in range(n))


def _length(items: Any) -> int:
    count = 0
    while items:
        count += 1
        items = items[1]
    return count


def cps(n: int) -> int:
    def fact(n: int, k: Callable[[int], int]) -> int:
        return k(1) if n == 0 else fact(n - 1, lambda product: k(n * product))

    def sum_tree(tree: Any, k: Callable[[int], int]) -> int:
        if tree == NIL:
            return k(0)
        if type(tree) is tuple:
            return sum_tree(tree[0], lambda left: sum_tree(tree[1], lambda right: k(left + right)))
        return k(tree)

    def pairs(tree: Any) -> Any:
        return from_list(map(pairs, tree)) if type(tree) is list else tree

    tree = pairs([[1, [2, 3], 4], [5, [6, [7, 8], 9]], [[10], 11, [12, [13, 14], 15]]])
    return sum(sum_tree(tree, lambda x: x) + fact(12, lambda x: x) % 7 for _ in range(n))


def tables(n: int) -> int:
    words = from_list(WORDS.split())

    def count_words(words: Any) -> dict[str, int]:
        table: dict[str, int] = {}
        while words:
            word, words = words
            table[word] = 1 + table.get(word, 0)
        return table

    total = 0
    for _ in range(n):
        table = count_words(words)
        total += table.get("the", 0) + len(table)
    return total


def alists(n: int) -> int:
    names = ["ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal", "ida", "jim"]
    accounts = from_list([[name, 100] for name in names])
    owners = from_list([[name, name] for name in names])

    def assoc(key: str, items: Any) -> Any:
        while items:
            entry, items = items
            if entry[0] == key:
                return entry
        return None

    def deposit(name: str, amount: int) -> None:
        entry = assoc(name, accounts)
        entry[1] += amount

    def transfer(giver: str, taker: str, amount: int) -> bool:
        if assoc(giver, accounts)[1] < amount:
            return False
        deposit(giver, -amount)
        deposit(taker, amount)
        return True

    done = 0
    while n:
        giver, taker = assoc("eve", owners)[1], names[n % 10]
        done += transfer(giver, taker, 5) if n % 2 == 0 else transfer(taker, giver, 5)
        n -= 1
    return done


def generators(n: int) -> int:
    def leaves(tree: Any) -> Iterator[int]:
        if type(tree) is tuple:
            if tree:
                yield from leaves(tree[0])
                yield from leaves(tree[1])
        else:
            yield tree

    def same_fringe(a: Any, b: Any) -> bool:
        next_a, next_b = leaves(a), leaves(b)
        while True:
            x, y = next(next_a, "done"), next(next_b, "done")
            if x != y:
                return False
            if x == "done":
                return True

    def pairs(tree: Any) -> Any:
        return from_list(map(pairs, tree)) if type(tree) is list else tree

    one = pairs([[1, 2, [3, 4]], [5, [6, [7, 8]]], 9, 10])
    two = pairs([1, [2, 3], [[4, 5], 6], [7, [8, 9], [10]]])
    return sum(same_fringe(one, two) for _ in range(n))


def _merge(a: Any, b: Any, less: Callable[[int, int], bool]) -> Any:
    if not a:
        return b
    if not b:
        return a
    return (b[0], _merge(a, b[1], less)) if less(b[0], a[0]) else (a[0], _merge(a[1], b, less))


def _split(items: Any) -> Any:
    if not items or not items[1]:
        return (items, NIL)
    left, right = _split(items[1][1])
    return ((items[0], left), (items[1][0], right))


def _merge_sort(items: Any, less: Callable[[int, int], bool]) -> Any:
    if not items or not items[1]:
        return items
    left, right = _split(items)
    return _merge(_merge_sort(left, less), _merge_sort(right, less), less)


def _keep(test: Callable[[int], bool], items: Any) -> Any:
    kept = []
    while items:
        if test(items[0]):
            kept.append(items[0])
        items = items[1]
    return from_list(kept)


def _append(*lists: Any) -> Any:
    result = lists[-1]
    for items in lists[-2::-1]:
        parts = []
        while items:
            parts.append(items[0])
            items = items[1]
        for part in reversed(parts):
            result = (part, result)
    return result


def sorting(n: int) -> int:
    def quicksort(items: Any) -> Any:
        if not items:
            return NIL
        pivot, rest = items
        smaller, larger = _keep(lambda x: x < pivot, rest), _keep(lambda x: x >= pivot, rest)
        return _append(quicksort(smaller), (pivot, NIL), quicksort(larger))

    def element(items: Any, index: int) -> int:
        while index:
            items = items[1]
            index -= 1
        return int(items[0])

    numbers, seed = [], 42
    for _ in range(100):
        numbers.append(seed)
        seed = (seed * 137 + 71) % 1009
    items = from_list(numbers)
    by_order = [element(_merge_sort(items, lambda a, b: a < b), 50) + element(quicksort(items), 25) for _ in range(n)]
    return sum(by_order)


def _is_number(x: Any, value: int) -> bool:
    return type(x) is int and x == value


def _make_sum(a: Any, b: Any) -> Any:
    if _is_number(a, 0):
        return b
    if _is_number(b, 0):
        return a
    if type(a) is int and type(b) is int:
        return a + b
    return ("+", (a, (b, NIL)))


def _make_product(a: Any, b: Any) -> Any:
    if _is_number(a, 0) or _is_number(b, 0):
        return 0
    if _is_number(a, 1):
        return b
    if _is_number(b, 1):
        return a
    if type(a) is int and type(b) is int:
        return a * b
    return ("*", (a, (b, NIL)))


def deriv(n: int) -> int:
    def derived(exp: Any, variable: str) -> Any:
        if type(exp) is int:
            return 0
        if type(exp) is str:
            return 1 if exp == variable else 0
        a, b = exp[1][0], exp[1][1][0]
        if exp[0] == "+":
            return _make_sum(derived(a, variable), derived(b, variable))
        return _make_sum(_make_product(a, derived(b, variable)), _make_product(derived(a, variable), b))

    def size(exp: Any) -> int:
        return size(exp[0]) + size(exp[1]) if type(exp) is tuple and exp else 1

    def pairs(exp: Any) -> Any:
        return from_list(map(pairs, exp)) if type(exp) is list else exp

    cube = ["*", 3, ["*", "x", ["*", "x", "x"]]]
    rest = ["+", ["*", "a", ["*", "x", "x"]], ["+", ["*", "b", "x"], "c"]]
    polynomial = pairs(["+", cube, rest])
    return sum(size(derived(derived(polynomial, "x"), "x")) for _ in range(n))


class _Machine:
    """A stack machine."""

    __slots__ = ("counter", "program", "stack")

    def __init__(self, program: list[Any], counter: int, stack: Any) -> None:
        self.program = program
        self.counter = counter
        self.stack = stack


def machine(n: int) -> int:
    def push(m: _Machine, x: Any) -> None:
        m.stack = (x, m.stack)

    def pop(m: _Machine) -> Any:
        x, m.stack = m.stack
        return x

    def step(m: _Machine) -> None:
        instruction = m.program[m.counter]
        m.counter += 1
        operation = instruction[0]
        if operation == "push":
            push(m, instruction[1][0])
        elif operation == "add":
            push(m, pop(m) + pop(m))
        elif operation == "less":
            b, a = pop(m), pop(m)
            push(m, a < b)
        elif operation == "dup":
            push(m, m.stack[0])
        elif operation == "jump-if" and pop(m):
            m.counter = instruction[1][0]

    def run_machine(m: _Machine) -> int:
        while m.counter != len(m.program):
            step(m)
        return int(pop(m))

    text = "push 0, push 3, add, dup, push 90, less, jump-if 1"
    instructions = [[int(word) if word.isdigit() else word for word in line.split()] for line in text.split(", ")]
    program = list(map(from_list, instructions))
    return sum(run_machine(_Machine(program, 0, NIL)) for _ in range(n))


def equality(n: int) -> int:
    def tree(depth: int) -> Any:
        if depth == 0:
            return from_list(["leaf", "text", 1.5])
        return from_list([depth, tree(depth - 1), tree(depth - 1)])

    def is_equal(a: Any, b: Any) -> bool:
        while type(a) is tuple and type(b) is tuple and a and b:
            if not is_equal(a[0], b[0]):
                return False
            a, b = a[1], b[1]
        return type(a) is type(b) and bool(a == b)

    def count_leaves(x: Any) -> int:
        if x == NIL:
            return 0
        return count_leaves(x[0]) + count_leaves(x[1]) if type(x) is tuple else 1

    one, two = tree(7), tree(7)
    return sum(count_leaves(one) for _ in range(n) if is_equal(one, two))


def change(n: int) -> int:
    def ways(amount: int, coins: Any) -> int:
        if amount == 0:
            return 1
        if amount < 0 or not coins:
            return 0
        return ways(amount, coins[1]) + ways(amount - coins[0], coins)

    def to_list(items: Any) -> list[Any]:
        found = []
        while items:
            found.append(items[0])
            items = items[1]
        return found

    def subsets(items: Any) -> Any:
        if not items:
            return (NIL, NIL)
        rest = subsets(items[1])
        result = from_list([(items[0], subset) for subset in to_list(rest)])
        return from_list(to_list(rest) + to_list(result))

    def total(items: Any) -> int:
        return reduce(lambda a, b: a + b, to_list(items))

    def good(subset: Any) -> bool:
        return total((0, subset)) == 15

    coins, items = from_list([25, 10, 5, 1]), from_list(range(1, 8))
    return sum(ways(40, coins) + len(list(filter(good, to_list(subsets(items))))) for _ in range(n))
