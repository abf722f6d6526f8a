"""Tables as in SICP 3.3.3: the one of operations behind `get` and `put`, and those that `make-table` makes."""

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, NIL, Pair, Symbol, Value, intern, list_of
from minischeme.primitives.equivalence import equal
from minischeme.primitives.hash_tables import hash_table_ref_default, hash_table_set
from minischeme.primitives.kinds import is_list
from minischeme.primitives.registry import primitive
from minischeme.runtime.context import Context


@primitive("put", dialect="berkeley", example="(begin (put 'area 'square 25) (get 'area 'square)) → 25")
def put(op: Value, type_: Value, item: Value, *, context: Context) -> Symbol:
    """Remember item under op and type, for get."""
    hash_table_set(context.operations, Pair(op, type_), item)
    return intern("ok")


@primitive("get", dialect="berkeley")
def get(op: Value, type_: Value, *, context: Context) -> Value:
    """What was put under op and type; #f if nothing was."""
    return hash_table_ref_default(context.operations, Pair(op, type_), FALSE)


@primitive("put-coercion", dialect="berkeley")
def put_coercion(type1: Value, type2: Value, item: Value, *, context: Context) -> Symbol:
    """Remember the procedure that makes a type1 a type2, for get-coercion."""
    hash_table_set(context.coercions, Pair(type1, type2), item)
    return intern("ok")


@primitive("get-coercion", dialect="berkeley")
def get_coercion(type1: Value, type2: Value, *, context: Context) -> Value:
    """The procedure that makes a type1 a type2; #f if none was put."""
    return hash_table_ref_default(context.coercions, Pair(type1, type2), FALSE)


# Tables as lists of records, so that a program may take them apart: (*table* (key . value) …); where there are more
# keys than one, the value is the list of records for the others.


def _records(name: str, table: Value) -> Value:
    """The list of the records of a table, or of a part of one."""
    records: Value = table.cdr if type(table) is Pair else None
    if not is_list(records) or not all(type(record) is Pair for record in records):
        raise SchemeError(f"{name}: not a table:", table)
    return records


def _record(name: str, table: Value, key: Value) -> Value:
    for record in _records(name, table):
        if equal(key, record.car):
            return record
    return None


@primitive("make-table", dialect="berkeley")
def make_table() -> Value:
    """A new, empty table for lookup and insert!, of any number of keys."""
    return list_of([intern("*table*")])


@primitive(
    "lookup", dialect="berkeley", example="(let ((t (make-table))) (insert! 'math 'a 43 t) (lookup 'math 'a t)) → 43"
)
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
        records = _records("insert!", inner)
        found = _record("insert!", inner, each)
        if found is None:
            found = Pair(each, NIL)
            inner.cdr = Pair(found, records)
        inner = found
    inner.cdr = value
    return intern("ok")
