"""The programs of `user_programs` in Python, by hand: the same algorithms on lists of immutable pairs `(car, cdr)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from io import StringIO
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


def strings(n: int) -> int:
    def pad(text: str, width: int) -> str:
        return pad(" " + text, width) if len(text) < width else text

    def line(n: int) -> str:
        return pad(str(n), 4) + pad(str(n * n), 8) + "\n"

    def table(start: int, end: int) -> str:
        if start > end:
            return ""
        return (line(start).upper() if start % 3 == 0 else line(start)) + table(start + 1, end)

    return sum(len(table(1, 30)) for _ in range(n))


def ports(n: int) -> int:
    def report(n: int) -> str:
        port = StringIO()
        for i in range(n):
            port.write("item ")
            port.write(str(i))
            port.write("\n")
        return port.getvalue()

    def data(text: str) -> int:
        return sum(int(word) if word.isdigit() else 1 for word in text.split())

    return sum(data(report(20)) for _ in range(n))


def characters(n: int) -> int:
    text = "It was a bright cold day in April, and the clocks were striking thirteen."

    def shift(c: str, by: int) -> str:
        if c.islower():
            return chr(97 + (by + ord(c) - 97) % 26)
        return chr(65 + (by + ord(c) - 65) % 26) if c.isupper() else c

    def encode(text: str, by: int) -> str:
        return "".join([shift(c, by) for c in text])

    def vowels(text: str) -> int:
        i = count = 0
        while i != len(text):
            if text[i].lower() in ("a", "e", "i", "o", "u"):
                count += 1
            i += 1
        return count

    return sum(vowels(encode(text, times)) for times in range(n, 0, -1))


def sieve(n: int) -> int:
    def primes_below(n: int) -> int:
        is_prime = [True] * n
        i, count = 2, 0
        while i != n:
            if is_prime[i]:
                multiple = i * i
                while multiple < n:
                    is_prime[multiple] = False
                    multiple += i
                count += 1
            i += 1
        return count

    return sum(primes_below(1000) for _ in range(n))


def matrices(n: int) -> int:
    def make_matrix(rows: int, columns: int, f: Callable[[int, int], int]) -> list[list[int]]:
        return [[f(i, j) for j in range(columns)] for i in range(rows)]

    def element(m: list[list[int]], i: int, j: int) -> int:
        return m[i][j]

    def product(a: list[list[int]], b: list[list[int]]) -> list[list[int]]:
        inner = len(b)

        def at(i: int, j: int) -> int:
            k = total = 0
            while k != inner:
                total += element(a, i, k) * element(b, k, j)
                k += 1
            return total

        return make_matrix(len(a), len(b[0]), at)

    square = make_matrix(12, 12, lambda i, j: (i + 3) * (j + 7) % 11 - 5)
    return sum(element(product(square, square), 3, times % 12) for times in range(n, 0, -1))


def floats(n: int) -> int:
    def escapes_after(cr: float, ci: float, limit: int) -> int:
        zr = zi = 0.0
        count = 0
        while not (count == limit or zr * zr + zi * zi > 4.0):
            zr, zi, count = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci, count + 1
        return count

    def average(x: float, y: float) -> float:
        return (x + y) / 2

    def improve(guess: float, x: float) -> float:
        return average(guess, x / guess)

    def is_good_enough(guess: float, x: float) -> bool:
        return abs(guess * guess - x) < 0.001

    def square_root(guess: float, x: float) -> float:
        while not is_good_enough(guess, x):
            guess = improve(guess, x)
        return guess

    total = 0.0
    for times in range(n, 0, -1):
        total = total + escapes_after(times % 40 / 16.0 - 2.0, 0.3, 60) + square_root(1.0, 1.0 * times)
    return round(total)


def pi(n: int) -> int:
    def digits(left: int) -> int:
        q, r, t, k, n, m, total = 1, 0, 1, 1, 3, 3, 0
        while left:
            if 4 * q + r - t < n * t:
                total += n
                left -= 1
                q, r, n = q * 10, 10 * (r - n * t), 10 * (3 * q + r) // t - 10 * n
            else:
                q, r, t, k, n, m = q * k, (2 * q + r) * m, t * m, k + 1, (q * (7 * k + 2) + r * m) // (t * m), m + 2
        return total

    return sum(digits(100) for _ in range(n))


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


class _Leave(Exception):
    """The use of a continuation, and what was given to it."""


def _with_continuation(function: Callable[[Callable[[int], int]], int]) -> int:
    leave = _Leave()

    def continuation(value: int) -> int:
        leave.args = (value,)
        raise leave

    try:
        return function(continuation)
    except _Leave as left:
        if left is not leave:
            raise
        return int(left.args[0])


def ctak(n: int) -> int:
    def tak(x: int, y: int, z: int) -> int:
        return _with_continuation(lambda k: aux(k, x, y, z))

    def aux(k: Callable[[int], int], x: int, y: int, z: int) -> int:
        if not y < x:
            return k(z)
        return _with_continuation(
            lambda k: aux(
                k,
                _with_continuation(lambda k: aux(k, x - 1, y, z)),
                _with_continuation(lambda k: aux(k, y - 1, z, x)),
                _with_continuation(lambda k: aux(k, z - 1, x, y)),
            )
        )

    result = 0
    for _ in range(n):
        result = tak(8, 4, 2)
    return result


def exceptions(n: int) -> int:
    def safe_quotient(a: int, b: int, default: int) -> int:
        try:
            if b == 0:
                raise ValueError("division")
            return a // b
        except ValueError:
            return default

    total = 0
    while n:
        total += safe_quotient(n, n % 10, -1)
        n -= 1
    return total


def winds(n: int) -> int:
    depth = deepest = 0

    def with_resource(thunk: Callable[[], int]) -> int:
        nonlocal depth, deepest
        depth += 1
        deepest = max(deepest, depth)
        try:
            return thunk()
        finally:
            depth -= 1

    def step(n: int) -> int:
        return _with_continuation(
            lambda leave: with_resource(lambda: with_resource(lambda: leave(1) if n % 3 == 0 else 2))
        )

    total = 0
    while n:
        total += step(n)
        n -= 1
    return total + depth + deepest


class _Promise:
    """A delayed value, computed once."""

    __slots__ = ("thunk", "value")

    def __init__(self, thunk: Callable[[], Any]) -> None:
        self.thunk: Callable[[], Any] | None = thunk
        self.value: Any = None

    def force(self) -> Any:
        if self.thunk is not None:
            self.value, self.thunk = self.thunk(), None
        return self.value


def streams(n: int) -> int:
    def integers_from(n: int) -> Any:
        return (n, _Promise(lambda: integers_from(n + 1)))

    def select(keep: Callable[[int], bool], stream: Any) -> Any:
        while not keep(stream[0]):
            stream = stream[1].force()
        return (stream[0], _Promise(lambda: select(keep, stream[1].force())))

    def transform(f: Callable[[int], int], stream: Any) -> Any:
        return (f(stream[0]), _Promise(lambda: transform(f, stream[1].force())))

    stream = transform(lambda x: x * x, select(lambda x: x % 2 == 1, integers_from(1)))
    total = 0
    while n:
        total += stream[0]
        stream = stream[1].force()
        n -= 1
    return total


def parser(n: int) -> int:
    def evaluate(text: str) -> int:
        position = 0

        def peek() -> str:
            return text[position] if position < len(text) else ";"

        def advance() -> str:
            nonlocal position
            c = peek()
            position += 1
            return c

        def number() -> int:
            value = 0
            while peek().isdigit():
                value = 10 * value + ord(advance()) - 48
            return value

        def factor() -> int:
            if peek() != "(":
                return number()
            advance()
            value = added()
            advance()
            return value

        def product() -> int:
            value = factor()
            while peek() == "*":
                advance()
                value *= factor()
            return value

        def added() -> int:
            value = product()
            while True:
                if peek() == "+":
                    advance()
                    value += product()
                elif peek() == "-":
                    advance()
                    value -= product()
                else:
                    return value

        return added()

    return sum(evaluate("2*(3+4)*5-(6-1)*(2+3*(4-1))+17*(1+1)") for _ in range(n))


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
