"""Hash tables, under the names of SRFI 69, MIT Scheme and the course's STk; and tables as in SICP 3.3.3.

A Scheme key is stored under a Python key that stands for it: two of those are equal just when the Scheme keys are.
"""

from collections.abc import Callable, Hashable
from types import FunctionType
from typing import Annotated, Any, cast

from minischeme.data import values
from minischeme.data.errors import SchemeError
from minischeme.data.rationals import Complex
from minischeme.data.values import FALSE, NIL, UNSPECIFIED, HashTable, Pair, String, Value, boolean, intern, list_of
from minischeme.primitives.equivalence import equal, word_key
from minischeme.primitives.kinds import Kind, List, Procedure, is_list
from minischeme.primitives.loops import applied_for_effect, applied_then, folded
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import predicate, primitive, unary
from minischeme.runtime.context import Context
from minischeme.runtime.resumption import Locals, Resume, resumed_by, transparent
from minischeme.runtime.tail_calls import TailCall

HashTableArg = Annotated[Any, Kind("not a hash table", lambda value: type(value) is HashTable)]


# ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
def eqv_key(value: Value) -> Hashable:
    """The key of a value as `eqv?` compares it: objects hash by identity, numbers by value and exactness."""
    kind = type(value)
    if kind is float:
        return float, value.hex()
    if kind is Complex:
        return Complex, eqv_key(value.real), eqv_key(value.imag)
    if kind is String and not value.text:
        return String
    return cast(Hashable, value)


def equal_key(value: Value) -> Hashable:
    """The key of a value as the standard's `equal?` compares it."""
    return _key(value, lambda leaf: leaf.text if type(leaf) is String else eqv_key(leaf))


def words_key(value: Value) -> Hashable:
    """The key of a value as the course's `equal?` compares it: words by spelling or number, whatever the case."""
    if type(value) is values.Symbol:
        return value.folded
    return _key(value, _word_or_eqv_key)


def _word_or_eqv_key(leaf: Value) -> Hashable:
    found = word_key(leaf)
    return eqv_key(leaf) if found is None else found


def _key(value: Value, leaf_key: Callable[[Value], Hashable]) -> Hashable:
    """The key of a leaf, or for compound data the flat tuple of the keys met on a walk through them."""
    if type(value) not in (Pair, values.Vector, values.Bytevector):
        return leaf_key(value)
    met: list[Hashable] = []
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if type(part) is Pair:
            met.append(Pair)
            waiting += (part.cdr, part.car)
        elif type(part) is values.Vector:
            met += (values.Vector, len(part))
            waiting += reversed(part)
        elif type(part) is values.Bytevector:
            met.append((values.Bytevector, bytes(part)))
        else:
            met.append(leaf_key(part))
    return tuple(met)


# ── making ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def _key_maker(arguments: tuple[Value, ...], default: Callable[[Value], Hashable]) -> Callable[[Value], Hashable]:
    """The function that makes keys, by the comparison procedure that a program passes if it is a known one."""
    for argument in arguments:
        names = getattr(getattr(argument, "__dict__", {}).get("primitive"), "names", ())
        if names[:1] in (("eq?",), ("eqv?",), ("=",)):
            return eqv_key
        if names[:1] == ("string=?",):
            return equal_key
    return default


@primitive(
    "make-hash-table",
    "make-equal-hash-table",
    "make-key-weak-equal-hash-table",
    example="(let ((t (make-hash-table))) (hash-table-set! t 'a 1) (hash-table-ref/default t 'a 0)) → 1",
)
def make_hash_table(*comparison: Value, dialect: str) -> HashTable:
    """A new, empty hash table, with keys compared by equal? or the given procedure."""
    return HashTable(_key_maker(comparison, words_key if dialect == "berkeley" else equal_key))


def _maker(names: str, key_of: Callable[[Value], Hashable], what: str) -> None:
    @primitive(*names.split(), help_=f"A new, empty hash table with {what}.")
    def make() -> HashTable:
        return HashTable(key_of)


_maker(
    "make-strong-eqv-hash-table make-strong-eq-hash-table make-key-weak-eqv-hash-table make-key-weak-eq-hash-table "
    "make-eqv-hash-table make-eq-hash-table",
    eqv_key,
    "keys compared by eqv?",
)
_maker("make-string-hash-table", equal_key, "strings as keys")


@primitive("alist->hash-table")
def alist_to_hash_table(alist: List, *comparison: Value) -> HashTable:
    """A hash table of the pairs of an association list; of pairs with the same key the first one counts."""
    table = HashTable(_key_maker(comparison, equal_key))
    for entry in elements(alist):
        if type(entry) is not Pair:
            raise SchemeError("alist->hash-table: not a pair:", entry)
        table.entries.setdefault(table.key_of(entry.car), (entry.car, entry.cdr))
    return table


@primitive("hash-table-copy")
def hash_table_copy(table: HashTableArg, mutable: Value = None) -> HashTable:
    """A new hash table with the same entries."""
    return HashTable(table.key_of, table.entries.copy())


predicate("hash-table?", HashTable, "a hash table")


# ── one entry ────────────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("hash-table-set!", "hash-table/put!", "hash-table-put!")
def hash_table_set(table: HashTableArg, key: Value, value: Value) -> Value:
    """Let key stand for value in the table."""
    table.entries[table.key_of(key)] = (key, value)
    return UNSPECIFIED


@primitive("hash-table-ref/default", "hash-table/get")
def hash_table_ref_default(table: HashTableArg, key: Value, default: Value) -> Value:
    """The value of key in the table; default if there is none."""
    found = table.entries.get(table.key_of(key))
    return default if found is None else found[1]


@primitive("hash-table-get", transparent=True)
def hash_table_get(table: HashTableArg, key: Value, default: Value = FALSE, *, tail: TailCall) -> Value:
    """The value of key in the table; if there is none, default, or what default returns if it is a thunk."""
    found = table.entries.get(table.key_of(key))
    if found is not None:
        return found[1]
    is_thunk = type(default) is FunctionType and default.__code__.co_argcount == len(default.__defaults__ or ())
    return _in_place_of("hash-table-get", key, default, tail) if is_thunk else default


@primitive("hash-table-ref", transparent=True)
def hash_table_ref(
    table: HashTableArg, key: Value, fail: Procedure = None, succeed: Procedure = None, *, tail: TailCall
) -> Value:
    """The value of key in the table, given to succeed; if there is none, what fail returns, else an error."""
    found = table.entries.get(table.key_of(key))
    if found is None:
        return _in_place_of("hash-table-ref", key, fail, tail)
    if succeed is None or succeed is FALSE:
        return found[1]
    result = succeed(found[1])
    return tail.run() if result is None else result


@transparent
def _in_place_of(name: str, key: Value, fail: Procedure, tail: TailCall) -> Value:
    """The value of fail for a key that is not in the table; an error without one."""
    if fail is None:
        raise SchemeError(f"{name}: no such key:", key)
    result = fail()
    return tail.run() if result is None else result


@primitive("hash-table-delete!", "hash-table-remove!", "hash-table/remove!")
def hash_table_delete(table: HashTableArg, *keys: Value) -> Value:
    """Remove the entries of the keys, as far as there are any."""
    entries = table.entries
    for key in keys:
        entries.pop(table.key_of(key), None)
    return UNSPECIFIED


@primitive("hash-table-contains?", "hash-table-exists?")
def hash_table_contains(table: HashTableArg, key: Value) -> values.Boolean:
    """Whether key has a value in the table."""
    return boolean(table.key_of(key) in table.entries)


@primitive("hash-table-update!")
def hash_table_update(
    table: HashTableArg, key: Value, procedure: Procedure, fail: Procedure = None, *, tail: TailCall
) -> Value:
    """Change the value of key to what procedure gives for it; if there is none, for what fail returns."""
    found = table.entries.get(table.key_of(key))
    old = _in_place_of("hash-table-update!", key, fail, tail) if found is None else found[1]
    return _updated(table, key, procedure, old, tail)


@resumed_by(hash_table_update)
def _resume_hash_table_update(frame: Locals) -> Resume:
    if "old" in frame:
        return lambda value: value
    return lambda old: _updated(frame["table"], frame["key"], frame["procedure"], old, frame["tail"])


@primitive("hash-table-update!/default", transparent=True)
def hash_table_update_default(
    table: HashTableArg, key: Value, procedure: Procedure, default: Value, *, tail: TailCall
) -> Value:
    """Change the value of key to what procedure gives for it, or for default if there is none."""
    found = table.entries.get(table.key_of(key))
    return _updated(table, key, procedure, default if found is None else found[1], tail)


def _updated(table: HashTable, key: Value, procedure: Procedure, old: Value, tail: TailCall) -> Value:
    new = procedure(old)
    return hash_table_set(table, key, tail.run() if new is None else new)


resumed_by(_updated)(lambda frame: lambda new: hash_table_set(frame["table"], frame["key"], new))


# ── all entries ──────────────────────────────────────────────────────────────────────────────────────────────────────
unary(
    "hash-table-count hash-table-size hash-table/count",
    HashTableArg,
    lambda table: len(table.entries),
    "How many entries the table has.",
)
unary("hash-table-empty?", HashTableArg, lambda table: boolean(not table.entries), "Whether the table has no entry.")


def _entries(names: str, part: Callable[[Value, Value], Value], help_: str) -> None:
    @primitive(*names.split(), help_=help_)
    def listed(table: HashTableArg) -> Value:
        return list_of([part(*entry) for entry in table.entries.values()])


_entries("hash-table-keys hash-table/key-list", lambda key, _: key, "The list of the table's keys.")
_entries("hash-table-values hash-table/datum-list", lambda _, value: value, "The list of the table's values.")
_entries("hash-table->alist hash-table->list", Pair, "The table's entries as a list of pairs.")


def entries_of(table: HashTable) -> list[tuple[Value, Value]]:
    """The entries that a table has now: a key and a value each."""
    return list(table.entries.values())


def _columns(table: HashTable) -> list[list[Value]]:
    entries = table.entries.values()
    return [[key for key, _ in entries], [value for _, value in entries]]


@primitive("hash-table-walk", "hash-table-for-each", "hash-table/for-each", transparent=True)
def hash_table_walk(table: HashTableArg, procedure: Procedure, *, tail: TailCall) -> Value:
    """Call procedure with the key and value of each entry."""
    return applied_for_effect(procedure, _columns(table), tail)


@primitive("hash-table-map", transparent=True)
def hash_table_map(table: HashTableArg, procedure: Procedure, *, tail: TailCall) -> Value:
    """The list of what procedure returns for the key and value of each entry."""
    return applied_then(procedure, _columns(table), list_of, tail)


@primitive("hash-table-fold", transparent=True)
def hash_table_fold(table: HashTableArg, procedure: Procedure, initial: Value, *, tail: TailCall) -> Value:
    """What procedure makes of each entry's key and value and of the result so far, beginning with initial."""
    return folded(procedure, initial, _columns(table), tail)


@primitive("hash-table-clear!")
def hash_table_clear(table: HashTableArg) -> Value:
    """Remove all entries."""
    table.entries.clear()
    return UNSPECIFIED


# ── tables as in SICP 3.3.3 ───────────────────────────────────────────────────────────────────────────────────────────
@primitive("put", dialect="berkeley", example="(begin (put 'area 'square 25) (get 'area 'square)) → 25")
def put(op: Value, type_: Value, item: Value, *, context: Context) -> values.Symbol:
    """Remember item under op and type, for get."""
    hash_table_set(context.operations, Pair(op, type_), item)
    return intern("ok")


@primitive("get", dialect="berkeley")
def get(op: Value, type_: Value, *, context: Context) -> Value:
    """What was put under op and type; #f if nothing was."""
    return hash_table_ref_default(context.operations, Pair(op, type_), FALSE)


@primitive("put-coercion", dialect="berkeley")
def put_coercion(type1: Value, type2: Value, item: Value, *, context: Context) -> values.Symbol:
    """Remember the procedure that makes a type1 a type2, for get-coercion."""
    hash_table_set(context.coercions, Pair(type1, type2), item)
    return intern("ok")


@primitive("get-coercion", dialect="berkeley")
def get_coercion(type1: Value, type2: Value, *, context: Context) -> Value:
    """The procedure that makes a type1 a type2; #f if none was put."""
    return hash_table_ref_default(context.coercions, Pair(type1, type2), FALSE)


# Tables of `make-table` are lists of records, so that a program may take them apart: (*table* (key . value) …); where
# there are more keys than one, the value is the list of records for the others.
def _record(name: str, table: Value, key: Value) -> Value:
    """The record of a key in a table, or in a part of one; None if there is none."""
    records: Value = table.cdr if type(table) is Pair else None
    if not is_list(records) or not all(type(record) is Pair for record in records):
        raise SchemeError(f"{name}: not a table:", table)
    return next((record for record in records if equal(key, record.car)), None)


@primitive("make-table", dialect="berkeley")
def make_table() -> Value:
    """A new, empty table for lookup and insert!, of any number of keys."""
    return list_of([intern("*table*")])


@primitive("lookup", dialect="berkeley", example="(let ((t (make-table))) (insert! 'a 43 t) (lookup 'a t)) → 43")
def lookup(key: Value, *keys_and_table: Value) -> Value:
    """What the table has for the keys; #f if nothing: (lookup key table), (lookup key-1 key-2 table)."""
    *keys, table = (key, *keys_and_table)
    if not keys:
        raise SchemeError("lookup: too few arguments, no table behind the key:", key)
    found = table
    for each in keys:
        found = _record("lookup", found, each)
        if found is None:
            return FALSE
    return found.cdr


@primitive("insert!", dialect="berkeley")
def insert(key: Value, *keys_value_and_table: Value) -> Value:
    """Let the table have a value for the keys: (insert! key value table), (insert! key-1 key-2 value table)."""
    if len(keys_value_and_table) < 2:
        raise SchemeError("insert!: too few arguments, expected keys, a value and a table:", key, *keys_value_and_table)
    *keys, value, table = (key, *keys_value_and_table)
    inner = table
    for each in keys:
        found = _record("insert!", inner, each)
        if found is None:
            found = Pair(each, NIL)
            inner.cdr = Pair(found, inner.cdr)
        inner = found
    inner.cdr = value
    return intern("ok")
