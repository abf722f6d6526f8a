"""Streams: pairs whose cdr is a promise (DIALECT.md section 1.3, SICP section 3.5). `cons-stream` makes them."""

from collections.abc import Callable
from math import inf

from minischeme.data.errors import SchemeError
from minischeme.data.printer import display
from minischeme.data.values import FALSE, NIL, UNSPECIFIED, Pair, Promise, Value, intern, list_of
from minischeme.primitives.control import force_promise
from minischeme.primitives.kinds import Index, Integer, List, Procedure, as_index, check_procedure, is_integer
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import predicate, primitive
from minischeme.runtime.ports import Console
from minischeme.runtime.resumption import Locals, Resume, resumed_by, transparent
from minischeme.runtime.tail_calls import TailCall

CONSTANTS: dict[str, Value] = {"the-empty-stream": NIL, "stream-nil": NIL}


def _is_stream_pair(obj: Value) -> bool:
    return type(obj) is Pair and type(obj.cdr) is Promise


def _first(stream: Value, name: str) -> Value:
    if type(stream) is not Pair:
        raise SchemeError(f"{name}: not a stream:", stream)
    return stream.car


@transparent
def _rest(stream: Value, name: str, tail: TailCall) -> Value:
    if not _is_stream_pair(stream):
        raise SchemeError(f"{name}: not a stream:", stream)
    return force_promise(stream.cdr, tail)


def _too_short(name: str, n: Value, length: int) -> SchemeError:
    hint = f"it has {length} element{'' if length == 1 else 's'}"
    return SchemeError(f"{name}: the stream is too short:", n, hint=hint)


def _delayed_rest(stream: Value, name: str, go_on: Callable[[Value], Value], tail: TailCall) -> Promise:
    """A promise of the result of `go_on` for the rest of a stream."""
    return Promise(lambda: tail.then(_rest, (stream, name, tail), go_on))


transparent(_delayed_rest(NIL, "", lambda rest: rest, TailCall()).thunk)  # its code is that of all of them


predicate("stream-pair?", _is_stream_pair, "a stream with an element", dialect="berkeley")
predicate("stream?", lambda obj: obj is NIL or _is_stream_pair(obj), "a stream or the empty one", dialect="berkeley")
predicate("stream-null? empty-stream?", lambda obj: obj is NIL, "the empty stream", dialect="berkeley")


@primitive("stream-car", "stream-first", dialect="berkeley", example="(stream-car (cons-stream 1 '())) → 1")
def stream_car(stream: Value) -> Value:
    """The first element of a stream."""
    return _first(stream, "stream-car")


@primitive("stream-cdr", "stream-rest", dialect="berkeley", example="(stream-cdr (cons-stream 1 '())) → ()")
@transparent
def stream_cdr(stream: Value, *, tail: TailCall) -> Value:
    """What follows the first element of a stream."""
    return _rest(stream, "stream-cdr", tail)


def _after(name: str, stream: Value, n: Value, tail: TailCall) -> Value:
    """A stream without its first n elements, for the procedure called `name`."""
    for index in range(as_index(n)):
        if stream is NIL:
            raise _too_short(name, n, index)
        stream = _rest(stream, name, tail)
    return stream


def _front(name: str, stream: Value, most: float, tail: TailCall) -> tuple[list[Value], Value]:
    """The first elements of a stream, at most so many, and the rest of the stream."""
    items: list[Value] = []
    while stream is not NIL and len(items) < most:
        items.append(_first(stream, name))
        stream = _rest(stream, name, tail)
    return items, stream


@primitive("stream-ref", dialect="berkeley")
def stream_ref(stream: Value, n: Index, *, tail: TailCall) -> Value:
    """Element n of a stream, counted from 0."""
    rest = _after("stream-ref", stream, n, tail)
    if rest is NIL:
        raise _too_short("stream-ref", n, as_index(n))
    return _first(rest, "stream-ref")


@primitive("stream-tail", dialect="berkeley")
def stream_tail(stream: Value, n: Index, *, tail: TailCall) -> Value:
    """A stream without its first n elements."""
    return _after("stream-tail", stream, n, tail)


@primitive("stream-head", dialect="berkeley", example="(stream-head (stream-enumerate-interval 1 9) 3) → (1 2 3)")
def stream_head(stream: Value, n: Index, *, tail: TailCall) -> Value:
    """The list of the first n elements of a stream."""
    items, _ = _front("stream-head", stream, as_index(n), tail)
    if len(items) < as_index(n):
        raise _too_short("stream-head", n, len(items))
    return list_of(items)


@primitive("list->stream", dialect="berkeley")
def list_to_stream(items: List) -> Value:
    """The stream of the elements of a list."""
    result: Value = NIL
    for item in reversed(elements(items)):
        result = Pair(item, Promise(None, result))
    return result


@primitive("stream", "make-stream", dialect="berkeley")
def stream(*items: Value) -> Value:
    """The stream of the arguments."""
    return list_to_stream(list_of(items))


@primitive("stream->list", dialect="berkeley")
def stream_to_list(stream: Value, most: Value = UNSPECIFIED, *, tail: TailCall) -> Value:
    """The list of the elements of a stream, at most so many."""
    return list_of(_front("stream->list", stream, most if type(most) is int else inf, tail)[0])


@primitive("stream-enumerate-interval", "range", dialect="berkeley")
def stream_enumerate_interval(low: Integer, high: Integer) -> Value:
    """The stream of the integers from low to high."""
    if not (is_integer(low) and is_integer(high)):
        raise TypeError("not an integer")
    if low > high:
        return NIL
    return Pair(low, Promise(lambda: stream_enumerate_interval(low + 1, high)))


@primitive("stream-map", dialect="berkeley", transparent=True)
def stream_map(procedure: Procedure, stream: Value, *streams: Value, tail: TailCall) -> Value:
    """The stream of what procedure returns for the elements of the streams, side by side."""
    check_procedure(procedure)
    return _mapped(procedure, stream, tail) if not streams else _mapped_together(procedure, (stream, *streams), tail)


def _mapped(procedure: Value, stream: Value, tail: TailCall) -> Value:
    if stream is NIL:
        return NIL
    first = procedure(_first(stream, "stream-map"))
    return _before_mapped(tail.run() if first is None else first, procedure, stream, tail)


resumed_by(_mapped)(lambda frame: lambda item: _before_mapped(item, frame["procedure"], frame["stream"], frame["tail"]))


def _before_mapped(first: Value, procedure: Value, stream: Value, tail: TailCall) -> Pair:
    return Pair(first, _delayed_rest(stream, "stream-map", lambda rest: _mapped(procedure, rest, tail), tail))


def _mapped_together(procedure: Value, streams: tuple[Value, ...], tail: TailCall) -> Value:
    if any(one is NIL for one in streams):
        return NIL
    first = tail.call(procedure, tuple([_first(one, "stream-map") for one in streams]))
    return Pair(first, Promise(lambda: _mapped_together(procedure, _rests(streams, tail), tail)))


def _rests(streams: tuple[Value, ...], tail: TailCall) -> tuple[Value, ...]:
    return tuple([_rest(one, "stream-map", tail) for one in streams])


@primitive("stream-filter", dialect="berkeley")
def stream_filter(predicate: Procedure, stream: Value, *, tail: TailCall) -> Value:
    """The stream of the elements for which predicate is true."""
    check_procedure(predicate)
    answer = None
    while stream is not NIL:
        answer = predicate(_first(stream, "stream-filter"))
        if answer is None:
            answer = tail.run()
        if answer is not FALSE:
            return _before_filtered(stream, predicate, tail)
        stream = _rest(stream, "stream-filter", tail)
        answer = None
    return NIL


@resumed_by(stream_filter)
def _resume_stream_filter(frame: Locals) -> Resume:
    predicate, stream, tail = frame["predicate"], frame["stream"], frame["tail"]
    if frame["answer"] is not None:  # it waits for the rest of the stream
        return lambda rest: stream_filter(predicate, rest, tail=tail)

    def resume(answer: Value) -> Value:
        if answer is FALSE:
            return tail.then(_rest, (stream, "stream-filter", tail), _filter_of(predicate, tail))
        return _before_filtered(stream, predicate, tail)

    return resume


def _before_filtered(stream: Pair, predicate: Value, tail: TailCall) -> Pair:
    return Pair(stream.car, _delayed_rest(stream, "stream-filter", _filter_of(predicate, tail), tail))


def _filter_of(predicate: Value, tail: TailCall) -> Callable[[Value], Value]:
    return lambda rest: stream_filter(predicate, rest, tail=tail)


@primitive("stream-for-each", dialect="berkeley")
def stream_for_each(procedure: Procedure, stream: Value, *, tail: TailCall) -> Value:
    """Call procedure with each element of a stream."""
    check_procedure(procedure)
    while stream is not NIL:
        is_done = False
        if procedure(_first(stream, "stream-for-each")) is None:
            tail.run()
        is_done = True  # noqa: F841 – for what resumes it
        stream = _rest(stream, "stream-for-each", tail)
    return UNSPECIFIED


@resumed_by(stream_for_each)
def _resume_stream_for_each(frame: Locals) -> Resume:
    procedure, tail = frame["procedure"], frame["tail"]
    go_on = lambda rest: stream_for_each(procedure, rest, tail=tail)  # noqa: E731
    return go_on if frame["is_done"] else lambda _: tail.then(_rest, (frame["stream"], "stream-for-each", tail), go_on)


@primitive("stream-append", dialect="berkeley")
def stream_append(*streams: Value, tail: TailCall) -> Value:
    """The elements of the first stream, then those of the others."""
    first, *others = [one for one in streams if one is not NIL] or [NIL]
    if not others:
        return first
    item = _first(first, "stream-append")
    return Pair(item, _delayed_rest(first, "stream-append", lambda rest: stream_append(rest, *others, tail=tail), tail))


@primitive("interleave", dialect="berkeley")
def interleave(stream1: Value, stream2: Value, *, tail: TailCall) -> Value:
    """The elements of two streams in turn."""
    if stream1 is NIL:
        return stream2
    first = _first(stream1, "interleave")
    return Pair(first, _delayed_rest(stream1, "interleave", lambda rest: interleave(stream2, rest, tail=tail), tail))


@primitive("show-stream", "ss", dialect="berkeley", example="(show-stream (stream 1 2 3 4 5) 3) → (1 2 3 ...)")
def show_stream(stream: Value, n: Index = 10, *, tail: TailCall) -> Value:
    """The list of the first n elements of a stream; ... stands for the rest."""
    items, rest = _front("show-stream", stream, as_index(n), tail)
    return list_of(items if rest is NIL else [*items, intern("...")])


@primitive("display-stream", dialect="berkeley")
def display_stream(stream: Value, *, tail: TailCall, console: Console) -> Value:
    """Display each element of a stream on a line of its own."""
    while stream is not NIL:
        console.output.write("\n" + display(_first(stream, "display-stream")))
        stream = _rest(stream, "display-stream", tail)
    return intern("done")
