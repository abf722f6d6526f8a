"""Small programs in the manner of Simply Scheme and of the course's labs and projects: what students write.

Those in the manner of SICP are in `test_sicp_exercises`.
"""

from __future__ import annotations

import io

import pytest

from minischeme import Session
from minischeme.data.printer import write

SIMPLY_SCHEME = {
    "pig latin": (
        """
        (define (vowel? letter) (member? letter '(a e i o u)))
        (define (rotate wd) (word (bf wd) (first wd)))
        (define (pigl wd) (if (vowel? (first wd)) (word wd 'ay) (pigl (rotate wd))))
        (every pigl '(the old string quartet))""",
        "(ethay olday ingstray uartetqay)",
    ),
    "acronym": (
        """
        (define (real-word? wd) (not (member? wd '(a the an in of and for to with))))
        (define (acronym phrase) (accumulate word (every first (keep real-word? phrase))))
        (acronym '(structure and interpretation of computer programs))""",
        "sicp",
    ),
    "plural by cases": (
        """
        (define (plural wd)
          (cond ((and (equal? (last wd) 'y) (not (member? (last (bl wd)) 'aeiou))) (word (bl wd) 'ies))
                ((member? (last wd) '(s x)) (word wd 'es))
                (else (word wd 's))))
        (every plural '(fly toy box card))""",
        "(flies toys boxes cards)",
    ),
    "words out of digits": (
        """
        (define (digits n) (if (empty? n) '() (se (first n) (digits (bf n)))))
        (list (digits 4207) (accumulate + (digits 4207)) (word 4 2) (+ 1 (word 4 2)) (bf 1075) (+ 3 (bf 1075)))""",
        '((4 2 0 7) 13 42 43 "075" 78)',
    ),
    "roman numerals": (
        """
        (define (value letter) (item 2 (assoc letter '((i 1) (v 5) (x 10) (l 50) (c 100) (d 500) (m 1000)))))
        (define (arabic numeral)
          (cond ((empty? numeral) 0)
                ((= (count numeral) 1) (value numeral))
                ((< (value (first numeral)) (value (first (bf numeral))))
                 (- (arabic (bf numeral)) (value (first numeral))))
                (else (+ (value (first numeral)) (arabic (bf numeral))))))
        (map arabic '(iv mcmlxxxiv xlii))""",
        "(4 1984 42)",
    ),
    "tic-tac-toe positions": (
        """
        (define (substitute-letter square position)
          (if (equal? '_ (item square position)) square (item square position)))
        (define (substitute-triple combination position)
          (accumulate word (every (lambda (square) (substitute-letter square position)) combination)))
        (define (find-triples position)
          (every (lambda (comb) (substitute-triple comb position)) '(123 456 789 147 258 369 159 357)))
        (define (opponent letter) (if (equal? letter 'x) 'o 'x))
        (define (my-pair? triple me)
          (and (= (appearances me triple) 2) (= (appearances (opponent me) triple) 0)))
        (define (i-can-win? triples me)
          (let ((winners (keep (lambda (triple) (my-pair? triple me)) triples)))
            (if (empty? winners) #f (first (keep number? (every (lambda (l) l) (first winners)))))))
        (list (find-triples '_xo_x_o__) (i-can-win? (find-triples '_xo_x_o__) 'x)
              (i-can-win? (find-triples '_________) 'x))""",
        '(("1xo" "4x6" o89 "14o" xx8 o69 "1x9" oxo) 8 #f)',
    ),
    "pattern matcher": (
        """
        (define (match pattern sent)
          (cond ((empty? pattern) (if (empty? sent) '() 'failed))
                ((equal? (first pattern) '*) (match-any (bf pattern) sent '()))
                ((empty? sent) 'failed)
                ((equal? (first (first pattern)) '?)
                 (let ((rest (match (bf pattern) (bf sent))))
                   (if (equal? rest 'failed) 'failed (se (bf (first pattern)) (first sent) '! rest))))
                ((equal? (first pattern) (first sent)) (match (bf pattern) (bf sent)))
                (else 'failed)))
        (define (match-any pattern sent seen)
          (let ((rest (match pattern sent)))
            (cond ((not (equal? rest 'failed)) (se 'star seen '! rest))
                  ((empty? sent) 'failed)
                  (else (match-any pattern (bf sent) (se seen (first sent)))))))
        (list (match '(* me ?what) '(please please me do)) (match '(love ?x) '(hate me)) (match '() '()))""",
        "((star please please ! what do !) failed ())",
    ),
    "higher-order on sentences": (
        """
        (define (square x) (* x x))
        (define (compose f g) (lambda (x) (f (g x))))
        (list ((compose first bf) '(have fun now)) ((repeated square 2) 3)
              (every (compose last bl) '(john paul george))
              (accumulate max (every count '(now here nowhere)))
              (keep even? '(1 2 3 4)) (reduce + (map square '(1 2 3)))
              (every + '(1 2) ))""",
        "(fun 81 (h u g) 7 (2 4) 14 (1 2))",
    ),
    "bridge hand": (
        """
        (define (value card)
          (cond ((equal? (first (bl card)) 'a) 4) ((equal? (bl card) 'k) 3) ((equal? (bl card) 'q) 2)
                ((equal? (bl card) 'j) 1) (else 0)))
        (define (suit-count suit hand) (count (keep (lambda (card) (equal? (last card) suit)) hand)))
        (define hand '(ah 10s kh 2c jd qs 10h))
        (list (accumulate + (every value hand)) (suit-count 'h hand) (every (lambda (s) (suit-count s hand)) 'shcd))""",
        "(10 3 (2 3 1 1))",
    ),
    "vectors: a deck shuffled in place": (
        """
        (define (shuffle! deck index)
          (define (swap! i j)
            (let ((temp (vector-ref deck i)))
              (vector-set! deck i (vector-ref deck j))
              (vector-set! deck j temp)))
          (if (< index 0) deck (begin (swap! index (random (+ index 1))) (shuffle! deck (- index 1)))))
        (sort (shuffle! (vector 3 1 4 1 5) 4) <)""",
        "#(1 1 3 4 5)",
    ),
    "a spreadsheet's cells": (
        """
        (define sheet (make-vector 3))
        (define (init row) (if (< row 3) (begin (vector-set! sheet row (make-vector 2 0)) (init (+ row 1)))))
        (init 0)
        (define (cell col row) (vector-ref (vector-ref sheet row) col))
        (define (put-cell! col row value) (vector-set! (vector-ref sheet row) col value))
        (put-cell! 0 0 '(* 2 (cell 1 2)))
        (put-cell! 1 2 21)
        (define (ss-eval expr)
          (cond ((number? expr) expr)
                ((equal? (car expr) 'cell) (ss-eval (cell (cadr expr) (caddr expr))))
                (else (apply (cadr (assoc (car expr) (list (list '* *) (list '+ +)))) (map ss-eval (cdr expr))))))
        (list (ss-eval (cell 0 0)) (align (ss-eval (cell 0 0)) 8 2) (align 'total 8))""",
        '(42 "   42.00" "total   ")',
    ),
    "a database of records": (
        """
        (define songs '((title artist year) (yesterday beatles 1965) (waterloo abba 1974) (help beatles 1965)))
        (define (column-number field) (- (length (memq field (reverse (car songs)))) 1))
        (define (field name record) (list-ref record (column-number name)))
        (define (select predicate) (filter predicate (cdr songs)))
        (define (sorted records name) (sort records (lambda (a b) (before? (field name a) (field name b)))))
        (map car (sorted (select (lambda (r) (equal? (field 'artist r) 'beatles))) 'title))""",
        "(help yesterday)",
    ),
    "trees": (
        """
        (define (leaf d) (make-node d '()))
        (define world
          (make-node 'world (list (make-node 'europe (list (leaf 'italy) (leaf 'france))) (leaf 'antarctica))))
        (define (count-leaves tree)
          (if (null? (children tree)) 1 (reduce + (map count-leaves (children tree)))))
        (define (treemap fn tree)
          (make-node (fn (datum tree)) (map (lambda (t) (treemap fn t)) (children tree))))
        (list (count-leaves world) (datum (car (children (treemap first world)))))""",
        "(3 e)",
    ),
    "deep lists": (
        """
        (define (appearances-in-book name structure)
          (cond ((equal? name structure) 1)
                ((or (word? structure) (null? structure)) 0)
                (else (reduce + (map (lambda (s) (appearances-in-book name s)) structure)))))
        (appearances-in-book 'john '((john paul) (george (ringo john)) pete))""",
        "2",
    ),
    "subsets and sentences of sentences": (
        """
        (define (prepend-every item lst) (map (lambda (choice) (se item choice)) lst))
        (define (subsets sent)
          (if (empty? sent) (list '())
              (let ((smaller (subsets (bf sent)))) (append (prepend-every (first sent) smaller) smaller))))
        (subsets '(1 2 3))""",
        "((1 2 3) (1 2) (1 3) (1) (2 3) (2) (3) ())",
    ),
}

COURSE = {
    "an adventure game": (
        """
        (define-class (place name)
          (instance-vars (directions '()) (people '()))
          (method (new-neighbor direction neighbor) (set! directions (cons (cons direction neighbor) directions)) 'ok)
          (method (look-in direction) (let ((pair (assoc direction directions))) (if pair (cdr pair) '())))
          (method (exits) (map car directions))
          (method (enter who) (set! people (cons who people)) 'appeared)
          (method (gone who) (set! people (delete who people)) 'disappeared))
        (define-class (person name place)
          (instance-vars (possessions '()))
          (class-vars (population 0))
          (initialize (set! population (+ population 1)) (ask place 'enter self))
          (method (talk) '(hello))
          (method (go direction)
            (let ((new (ask place 'look-in direction)))
              (cond ((null? new) (error "Can't go" direction))
                    (else (ask place 'gone self) (set! place new) (ask new 'enter self)
                          (se name 'moved 'to (ask new 'name)))))))
        (define-class (student name initial-place year)
          (parent (person name initial-place))
          (method (talk) (se (usual 'talk) 'from year))
          (default-method (se name 'does 'not 'know message)))
        (define soda (instantiate place 'soda))
        (define evans (instantiate place 'evans))
        (ask soda 'new-neighbor 'up evans)
        (define brian (instantiate person 'brian soda))
        (define alyssa (instantiate student 'alyssa soda 2))
        (list (ask alyssa 'go 'up) (ask (ask alyssa 'place) 'name) (ask alyssa 'talk) (ask alyssa 'fly)
              (ask person 'population) (length (ask soda 'people)) (ask soda 'exits)
              (eq? alyssa (car (ask evans 'people))))""",
        "((alyssa moved to evans) evans (hello from 2) (alyssa does not know fly) 2 1 (up) #t)",
    ),
    "message passing by hand": (
        """
        (define (make-stack)
          (let ((contents '()))
            (define (dispatch message . args)
              (case message
                ((push) (set! contents (append args contents)) dispatch)
                ((pop) (let ((top (car contents))) (set! contents (cdr contents)) top))
                ((size) (length contents))
                (else (error "Unknown message:" message))))
            dispatch))
        (define s (make-stack))
        (s 'push 1) (s 'push 2 3)
        (list (s 'pop) (s 'size))""",
        "(2 2)",
    ),
    "a calculator": (
        """
        (define (calc-eval exp)
          (cond ((number? exp) exp) ((list? exp) (calc-apply (car exp) (map calc-eval (cdr exp))))
                (else (error "Calc: bad expression:" exp))))
        (define (calc-apply fn args)
          (cond ((eq? fn '+) (accumulate + args)) ((eq? fn '*) (accumulate * args))
                ((eq? fn '-) (if (= (length args) 1) (- (car args)) (- (car args) (accumulate + (cdr args)))))
                (else (error "Calc: bad operator:" fn))))
        (calc-eval '(+ 1 (* 2 3) (- 10 4 3) (- 2)))""",
        "8",
    ),
    "map and reduce of key-value pairs": (
        """
        (define (group pairs)
          (define (add pair groups)
            (let ((found (assoc (car pair) groups)))
              (if found (begin (set-cdr! found (cons (cdr pair) (cdr found))) groups)
                  (cons (list (car pair) (cdr pair)) groups))))
          (accumulate add '() pairs))
        (define (mapreduce mapper reducer base lines)
          (map (lambda (g) (cons (car g) (accumulate reducer base (cdr g)))) (group (flatmap mapper lines))))
        (define counts
          (mapreduce (lambda (line) (map (lambda (wd) (cons wd 1)) line)) + 0
                     '((all you need is love) (love love me do) (all together now))))
        (list (cdr (assoc 'love counts)) (cdr (assoc 'all counts)) (assoc 'hate counts))""",
        "(3 2 #f)",
    ),
    "reading a line of Logo, letter by letter": (
        """
        (define (tokens port)
          (define (next so-far)
            (let ((char (peek-char port)))
              (cond ((or (eof-object? char) (memv char '(#\\space #\\[ #\\])))
                     (string->word (list->string (reverse so-far))))
                    (else (read-char port) (next (cons char so-far))))))
          (let ((char (peek-char port)))
            (cond ((eof-object? char) '())
                  ((char=? char #\\space) (read-char port) (tokens port))
                  ((char=? char #\\[) (read-char port) (let ((inside (tokens port))) (cons inside (tokens port))))
                  ((char=? char #\\]) (read-char port) '())
                  (else (let ((token (next '()))) (cons token (tokens port)))))))
        (tokens (open-input-string "repeat 3 [print :size fd 10]"))""",
        "(repeat 3 (print :size fd 10))",
    ),
    "twenty-one, in short": (
        """
        (define ranks '(a 2 3 4 5 6 7 8 9 10 j q k))
        (define (make-deck) (every (lambda (suit) (every (lambda (rank) (word rank suit)) ranks)) '(h s d c)))
        (define (value card) (cond ((equal? (bl card) 'a) 11) ((number? (bl card)) (bl card)) (else 10)))
        (define (best-total hand)
          (let ((total (accumulate + (every value hand))) (aces (count (keep (lambda (c) (equal? (bl c) 'a)) hand))))
            (define (lower total aces) (if (and (> total 21) (> aces 0)) (lower (- total 10) (- aces 1)) total))
            (lower total aces)))
        (list (count (make-deck)) (best-total '(ad 8s)) (best-total '(ad 8s 5h)) (best-total '(ad as 9h))
              (accumulate + (every value (make-deck))))""",
        "(52 19 14 21 380)",
    ),
    "vectors by hand": (
        """
        (define (vector-swap! v i j)
          (let ((temp (vector-ref v i))) (vector-set! v i (vector-ref v j)) (vector-set! v j temp)))
        (define (bubble-sort! v)
          (define (pass i last)
            (cond ((< i last)
                   (if (> (vector-ref v i) (vector-ref v (1+ i))) (vector-swap! v i (1+ i)))
                   (pass (1+ i) last))))
          (let loop ((last (-1+ (vector-length v)))) (if (> last 0) (begin (pass 0 last) (loop (-1+ last)))))
          v)
        (bubble-sort! (vector 5 3 8 1))""",
        "#(1 3 5 8)",
    ),
    "a macro of one's own": (
        """
        (define-macro (my-or a b) (let ((temp (gensym))) `(let ((,temp ,a)) (if ,temp ,temp ,b))))
        (define-macro (for var from low to high . body)
          `(let loop ((,var ,low)) (if (<= ,var ,high) (begin ,@body (loop (+ ,var 1))))))
        (define temp 5)
        (define total 0)
        (for i from 1 to 4 (set! total (+ total i)))
        (list (my-or #f temp) total)""",
        "(5 10)",
    ),
    "association lists and error by name": (
        """
        (define (lookup key alist)
          (let ((found (assq key alist))) (if found (cdr found) (error 'lookup "no ~s in ~a" key alist))))
        (guard (e (#t (condition/report-string e))) (lookup 'z '((a . 1))))""",
        '"lookup: no z in ((a . 1))"',
    ),
    "a conversation": (
        """
        (define (ask-user question) (display question) (read-line))
        (define (interview)
          (let ((name (ask-user "Name? ")) (age (ask-user "Age? ")))
            (newline)
            (show-line (se 'hello name 'you 'will 'be (+ 1 (first age))))
            (list (read) (read-line))))
        (interview)""",
        "((a b) (rest))",
    ),
}

PROGRAMS = SIMPLY_SCHEME | COURSE


@pytest.mark.parametrize(("program", "value"), PROGRAMS.values(), ids=PROGRAMS)
def test_program(program: str, value: str) -> None:
    typed = io.StringIO("ringo starr\n30\n(a b) rest\n")
    assert write(Session(seed=1, output=io.StringIO(), input=typed).eval(program)) == value


def test_what_a_conversation_shows() -> None:
    program, _ = COURSE["a conversation"]
    output = io.StringIO()
    Session(output=output, input=io.StringIO("ringo starr\n30\n(a b) rest\n")).eval(program)
    assert output.getvalue() == "Name? Age? \nhello ringo starr you will be 31\n"
