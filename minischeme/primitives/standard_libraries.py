"""The exports of the standard libraries (R7RS appendix A), and the features that ``cond-expand`` knows (appendix B)."""

import sys

STANDARD_LIBRARIES: dict[str, frozenset[str]] = {
    name: frozenset(exports.split())
    for name, exports in {
        "(scheme base)": """
            * + - ... / < <= = => > >= _ abs and append apply assoc assq assv begin binary-port? boolean=? boolean?
            bytevector bytevector-append bytevector-copy bytevector-copy! bytevector-length bytevector-u8-ref
            bytevector-u8-set! bytevector? caar cadr call-with-current-continuation call-with-port call-with-values
            call/cc car case cdar cddr cdr ceiling char->integer char-ready? char<=? char<? char=? char>=? char>?
            char? close-input-port close-output-port close-port complex? cond cond-expand cons current-error-port
            current-input-port current-output-port define define-record-type define-syntax define-values denominator
            do dynamic-wind else eof-object eof-object? eq? equal? eqv? error error-object-irritants
            error-object-message error-object? even? exact exact-integer-sqrt exact-integer? exact? expt features
            file-error? floor floor-quotient floor-remainder floor/ flush-output-port for-each gcd
            get-output-bytevector get-output-string guard if include include-ci inexact inexact? input-port-open?
            input-port? integer->char integer? lambda lcm length let let* let*-values let-syntax let-values letrec
            letrec* letrec-syntax list list->string list->vector list-copy list-ref list-set! list-tail list?
            make-bytevector make-list make-parameter make-string make-vector map max member memq memv min modulo
            negative? newline not null? number->string number? numerator odd? open-input-bytevector
            open-input-string open-output-bytevector open-output-string or output-port-open? output-port? pair?
            parameterize peek-char peek-u8 port? positive? procedure? quasiquote quote quotient raise raise-continuable
            rational? rationalize read-bytevector read-bytevector! read-char read-error? read-line read-string
            read-u8 real? remainder reverse round set! set-car! set-cdr! square string string->list string->number
            string->symbol string->utf8 string->vector string-append string-copy string-copy! string-fill!
            string-for-each string-length string-map string-ref string-set! string<=? string<? string=? string>=?
            string>? string? substring symbol->string symbol=? symbol? syntax-error syntax-rules textual-port?
            truncate truncate-quotient truncate-remainder truncate/ u8-ready? unless unquote unquote-splicing
            utf8->string values vector vector->list vector->string vector-append vector-copy vector-copy!
            vector-fill! vector-for-each vector-length vector-map vector-ref vector-set! vector? when
            with-exception-handler write-bytevector write-char write-string write-u8 zero?
        """,
        "(scheme case-lambda)": "case-lambda",
        "(scheme char)": """
            char-alphabetic? char-ci<=? char-ci<? char-ci=? char-ci>=? char-ci>? char-downcase char-foldcase
            char-lower-case? char-numeric? char-upcase char-upper-case? char-whitespace? digit-value string-ci<=?
            string-ci<? string-ci=? string-ci>=? string-ci>? string-downcase string-foldcase string-upcase
        """,
        "(scheme complex)": "angle imag-part magnitude make-polar make-rectangular real-part",
        "(scheme cxr)": """
            caaaar caaadr caaar caadar caaddr caadr cadaar cadadr cadar caddar cadddr caddr cdaaar cdaadr cdaar
            cdadar cdaddr cdadr cddaar cddadr cddar cdddar cddddr cdddr
        """,
        "(scheme eval)": "environment eval",
        "(scheme file)": """
            call-with-input-file call-with-output-file delete-file file-exists? open-binary-input-file
            open-binary-output-file open-input-file open-output-file with-input-from-file with-output-to-file
        """,
        "(scheme inexact)": "acos asin atan cos exp finite? infinite? log nan? sin sqrt tan",
        "(scheme lazy)": "delay delay-force force make-promise promise?",
        "(scheme load)": "load",
        "(scheme process-context)": """
            command-line emergency-exit exit get-environment-variable get-environment-variables
        """,
        "(scheme read)": "read",
        "(scheme repl)": "interaction-environment",
        "(scheme time)": "current-jiffy current-second jiffies-per-second",
        "(scheme write)": "display write write-shared write-simple",
    }.items()
}
"""The exports of each library of the standard, by the text of its name."""

STANDARD_NAMES = frozenset[str]().union(*STANDARD_LIBRARIES.values()) | {"import", "define-library"}
"""All that the R7RS dialect has without an import."""

OTHER_LIBRARIES: dict[str, frozenset[str]] = {
    "(scheme small)": STANDARD_NAMES,
    "(scheme r5rs)": STANDARD_NAMES
    | {"exact->inexact", "inexact->exact", "null-environment", "scheme-report-environment"},
    "(rnrs)": STANDARD_NAMES,
    "(rnrs base)": STANDARD_NAMES,
} | {
    f"(srfi {number})": frozenset(exports.split())
    for number, exports in {
        0: "cond-expand",
        1: """
            any append append! append-map assoc assq assv caar cadr car cdr cons cons* delete delete! delete-duplicates
            fifth filter filter-map find first fold fold-right for-each fourth iota last last-pair length list
            list-copy list-index list-tabulate make-list map member memq memv null? pair? reduce reduce-right remove
            reverse reverse! second set-car! set-cdr! take third drop
        """,
        6: "get-output-string open-input-string open-output-string",
        8: "receive",
        9: "define-record-type",
        11: "let*-values let-values",
        16: "case-lambda",
        23: "error",
        30: "",
        39: "make-parameter parameterize",
        46: "... _ define-syntax let-syntax letrec-syntax syntax-rules",
        62: "",
        64: """
            test-approximate test-assert test-begin test-end test-eq test-equal test-eqv test-error test-group
        """,
        69: """
            alist->hash-table hash-table->alist hash-table-copy hash-table-delete! hash-table-exists? hash-table-fold
            hash-table-keys hash-table-ref hash-table-ref/default hash-table-set! hash-table-size hash-table-update!
            hash-table-update!/default hash-table-values hash-table-walk hash-table? make-hash-table
        """,
        78: "check check-passed? check-report check-reset! check-set-mode!",
        87: "case",
        98: "get-environment-variable get-environment-variables",
    }.items()
}
"""The exports of other libraries: of a SRFI, the names that exist here and mean the same."""

WITH_EVERYTHING = ("(minischeme)", "(simply scheme)")
"""The libraries that export all that minischeme has."""


def features() -> tuple[str, ...]:
    """The features of this implementation."""
    systems = {"linux": ("unix", "gnu-linux", "linux"), "darwin": ("unix", "darwin"), "win32": ("windows",)}
    standard = ["r7rs", "exact-closed", "exact-complex", "ratios", "full-unicode"]
    return (*standard, *systems.get(sys.platform, ()), "minischeme", "python", "berkeley")
