"""The reader on generated texts: the parts' spans, cut-off and arbitrary text, and names that need no bars."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from reading import all_plain, forms, outcome, plain

from minischeme.data.errors import UnfinishedInput
from minischeme.data.numerals import reads_as_symbol
from minischeme.data.values import Bytevector, Pair, Symbol, Vector

ATOMS = st.sampled_from(
    ["a", "10s", "1/2", "-5", "...", "|A b|", '"s\\n"', "#\\a", "#\\(", "#t", "()", "λ", ".5", "#u8(1)"]
)
GAPS = st.sampled_from([" ", "\n", "\t", " ;c)\n", " #|(|# ", " #;(x) ", "\r\n"])
TEXTS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds(lambda parts, gap: f"({gap.join(parts)})", st.lists(inner, min_size=1), GAPS),
        st.builds(lambda parts, gap: f"[{gap.join(parts)}{gap}]", st.lists(inner, min_size=1), GAPS),
        st.builds(lambda parts, gap: f"#({gap}{gap.join(parts)})", st.lists(inner), GAPS),
        st.builds(
            lambda parts, last, gap: f"({gap.join(parts)}{gap}. {last})", st.lists(inner, min_size=1), inner, GAPS
        ),
        st.builds(lambda mark, part: mark + part, st.sampled_from(["'", "`", ",", ",@", "’"]), inner),
    ),
    max_leaves=20,
)


@given(st.lists(TEXTS, max_size=4), GAPS)
def test_the_span_of_every_part_reads_as_that_part(texts: list[str], gap: str) -> None:
    read_forms = forms(gap + gap.join(texts) + gap)
    assert [form.span.text for form in read_forms] == texts
    for form in read_forms:
        parts = [(form.datum, form.span)]
        while parts:
            datum, span = parts.pop()
            if span.text not in ("'", "`", ",", ",@", "’"):
                (again,) = all_plain(span.text)
                assert again == plain(datum)
            elif isinstance(datum, Symbol):
                assert datum.name in ("quote", "quasiquote", "unquote", "unquote-splicing")
            if isinstance(datum, Pair | Vector):
                assert form.spans.of(datum) == span
            for item in datum if isinstance(datum, Vector) else ():
                item_span = form.spans.of(item)
                assert (item_span is not None) == isinstance(item, Pair | Vector | Bytevector)
                if item_span is not None:
                    parts.append((item, item_span))
            while isinstance(datum, Pair):
                car_span = form.spans.of_car(datum)
                assert car_span is not None
                parts.append((datum.car, car_span))
                datum = datum.cdr


PIECES = st.lists(
    st.sampled_from(
        [*"()[]'`,.;\"|#\\’−“ \n\rax1", ",@", "#(", "#u8(", "#|", "|#", "#;", "#\\", "#0=", "#0#", "#1=", "#1#"]
    )
    | st.sampled_from(
        [" . ", "#!fold-case", "#!no-fold-case", "#!eof", "#t", "#x", "\\x", "\ufeff", "12", '"a"', "#lang "]
    )
    | st.characters(),
    max_size=30,
)


@settings(max_examples=400)
@given(PIECES)
@example(["(", "a", " . ", "#|", "|#", "]"])
def test_any_text_is_read_or_refused(pieces: list[str]) -> None:
    text = "".join(pieces)
    read_forms, error = outcome(text)
    for form in read_forms:
        assert 0 <= form.span.start < form.span.end <= len(text)
    if error is not None:
        assert error.span is not None
        assert 0 <= error.span.start < error.span.end <= len(text)
        assert str(error).startswith("read: ")


@settings(max_examples=40)
@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_a_text_cut_short_is_unfinished_or_still_data(texts: list[str]) -> None:
    """What is typed line by line never fails before it is complete."""
    text = " ".join(texts)
    for end in range(len(text)):
        _, error = outcome(text[:end])
        if error is not None and not isinstance(error, UnfinishedInput):
            # Half a token, such as the `#` of `#t`, may be wrong by itself.
            assert error.span is not None
            assert error.span.end == end


@given(st.text(max_size=8) | st.text("a1.+-#'|’ABλ", max_size=5))
def test_names_read_bare_where_the_printer_is_told_so(name: str) -> None:
    if reads_as_symbol(name):
        ((form,), error) = outcome(f"({name} )")
        assert error is None
        assert plain(form.datum) == [name]
