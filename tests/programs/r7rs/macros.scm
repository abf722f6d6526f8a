;;; R7RS 4.3 and 5.4: macros by syntax-rules.
;;; minischeme: allow unused-value

(import (scheme base) (scheme cxr) (scheme eval) (testing))

;;; Hygiene: what the user's text binds does not disturb the macro, nor the other way round.

(test 'now
      (let-syntax ((my-when (syntax-rules () ((my-when test stmt1 stmt2 ...) (if test (begin stmt1 stmt2 ...))))))
        (let ((if #t)) (my-when if (set! if 'now)) if)))
(test 'outer (let ((x 'outer)) (let-syntax ((m (syntax-rules () ((m) x)))) (let ((x 'inner)) (m)))))
(test 7
      (letrec-syntax
          ((my-or (syntax-rules ()
                    ((my-or) #f)
                    ((my-or e) e)
                    ((my-or e1 e2 ...) (let ((temp e1)) (if temp temp (my-or e2 ...)))))))
        (let ((x #f) (y 7) (temp 8) (let odd?) (if even?)) (my-or x (let temp) (if y) y))))
(define-syntax be-like-begin
  (syntax-rules () ((be-like-begin name) (define-syntax name (syntax-rules () ((name expr (... ...)) (begin expr (... ...))))))))
(be-like-begin sequence)
(test 4 (sequence 1 2 3 4))
(test 'ok (let ((=> #f)) (cond (#t => 'ok))))
(test 'ok (let ((else #f)) (cond (#f 3) (else 4) (#t 'ok))))
(test '(1 2) (let ((unquote list)) (unquote 1 2)))
(define-syntax my-unless (syntax-rules () ((_ c e ...) (if c #f (begin e ...)))))
(test 'done (let ((if list) (begin list)) (my-unless #f 'done)))
(define-syntax swap! (syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp)))))
(test '(2 1) (let ((tmp 1) (other 2)) (swap! tmp other) (list tmp other)))
(test '(2 1) (let ((set! 1) (let 2)) (swap! set! let) (list set! let)))
(define-syntax while
  (syntax-rules () ((_ cond body ...) (let loop () (if cond (begin body ... (loop)) #f)))))
(test 5 (let ((i 0) (loop 5)) (while (< i loop) (set! i (+ i 1))) i))
(define-syntax my-list-of (syntax-rules () ((_ e ...) (list e ...))))
(test '(1 2) (let ((list vector)) (my-list-of 1 2)))
(define-syntax count-to (syntax-rules () ((_ n) (do ((i 0 (+ i 1)) (l '() (cons i l))) ((= i n) (reverse l))))))
(test '(0 1 2) (let ((i 3) (cons +)) (count-to i)))
;; A name in a macro means what it meant where the macro stands, also when it is defined later.
(define-syntax get-later (syntax-rules () ((_) defined-later)))
(define defined-later 'later)
(test 'later (get-later))
(test 'later (let ((defined-later 'local)) (get-later)))
(test '(a b) (let loop-name ((n 0)) (if (= n 0) (let-syntax ((again (syntax-rules () ((_ x) (loop-name x))))) (let ((loop-name list)) (again 1))) '(a b))))
;; Quoted names of a template are plain symbols.
(define-syntax quoted (syntax-rules () ((_ x) '(x y #(z x)))))
(test '(1 y #(z 1)) (quoted 1))
(test #t (eq? 'y (cadr (quoted 1))))
(define-syntax quasi (syntax-rules () ((_ x y ...) `(name ,x ,@(list y ...) . end))))
(test '(name 3 4 5 . end) (quasi (+ 1 2) 4 5))
;; A macro may define what it is told to, and has private names of its own.
(define-syntax define-pair (syntax-rules () ((_ a b v) (begin (define a v) (define b (list a v))))))
(define-pair one-a one-b 1)
(test '(1 (1 1)) (list one-a one-b))
(test '(5 (5 5)) (let () (define-pair p q 5) (list p q)))
(define-syntax define-counter
  (syntax-rules () ((_ name) (define name (let ((count 0)) (lambda () (set! count (+ count 1)) count))))))
(test '(1 2 1) (let ((count 7)) (define-counter c) (define-counter d) (let* ((a (c)) (b (c)) (e (d))) (list a b e))))
(define-syntax with-private
  (syntax-rules () ((_ e) (let () (define private 10) (+ private e)))))
(test 11 (let ((private 1)) (with-private private)))
;; Jabberwocky: a macro that defines macros, with a name that is handed through.
(define-syntax jabberwocky
  (syntax-rules ()
    ((_ hatter)
     (begin
       (define march-hare 42)
       (define-syntax hatter (syntax-rules () ((_) march-hare)))))))
(jabberwocky mad-hatter)
(test 42 (mad-hatter))
(test 42 (let () (jabberwocky local-hatter) (local-hatter)))

;;; Patterns

(define-syntax count-args (syntax-rules () ((_) 0) ((_ a) 1) ((_ a b) 2) ((_ a b . c) (+ 2 (count-more . c)))))
(define-syntax count-more (syntax-rules () ((_) 0) ((_ a . b) (+ 1 (count-more . b)))))
(test '(0 1 2 3 5) (list (count-args) (count-args a) (count-args a b) (count-args a b c) (count-args a b c d e)))
(define-syntax my-let (syntax-rules () ((_ ((n v) ...) . body) ((lambda (n ...) . body) v ...))))
(test 30 (my-let ((a 10) (b 3)) (define c b) (* a c)))
(define-syntax my-let*
  (syntax-rules () ((_ () b ...) (let () b ...)) ((_ ((n v) more ...) b ...) (let ((n v)) (my-let* (more ...) b ...)))))
(test 4 (my-let* ((a 1) (b (+ a 1)) (a (* b 2))) a))
(define-syntax tail-after (syntax-rules () ((_ (a ... y z)) '((a ...) y z)) ((_ . other) 'no)))
(test '((1 2) 3 4) (tail-after (1 2 3 4)))
(test '(() 3 4) (tail-after (3 4)))
(test 'no (tail-after (4)))
(define-syntax tail-dotted (syntax-rules () ((_ (a ... y . z)) '((a ...) y z)) ((_ . other) 'no)))
(test '((1 2) 3 4) (tail-dotted (1 2 3 . 4)))
(test '((1 2) 3 ()) (tail-dotted (1 2 3)))
(test '(() 1 5) (tail-dotted (1 . 5)))
(test 'no (tail-dotted ()))
(test '(1 2 (3 4)) (let-syntax ((m (syntax-rules () ((_ a b . c) '(a b c))))) (m 1 2 3 4)))
(test '(1 5) (let-syntax ((m (syntax-rules () ((_ a _ _ _ b) '(a b))))) (m 1 2 3 4 5)))
(define-syntax vectors (syntax-rules () ((_ #(a b ...)) '(a (b ...))) ((_ #(a ...) x) '(x #(a ... x))) ((_ x) 'other)))
(test '(1 (2 3)) (vectors #(1 2 3)))
(test '(9 #(1 2 9)) (vectors #(1 2) 9))
(test 'other (vectors #()))
(test 'other (vectors (1 2)))
(test '((2 1) (4 3)) (let-syntax ((m (syntax-rules () ((_ #(a b) ...) '((b a) ...))))) (m #(1 2) #(3 4))))
(test '#((1 2) (3 4)) (let-syntax ((m (syntax-rules () ((_ #((a b) ...)) #((a b) ...))))) (m #((1 2) (3 4)))))
(define-syntax data (syntax-rules () ((_ 1) 'one) ((_ "a") 'string) ((_ #\a) 'char) ((_ #t) 'true) ((_ ()) 'empty) ((_ 1.5) 'real) ((_ 1/2) 'half) ((_ #u8(1)) 'bytes) ((_ x) 'other)))
(test '(half bytes) (list (data 1/2) (data #u8(1))))
(test '(one string char true empty real other other other) (list (data 1) (data "a") (data #\a) (data #t) (data ()) (data 1.5) (data 1.0) (data #f) (data "b")))
;; The keyword of the pattern is not looked at.
(test 3 (let-syntax ((m (syntax-rules () ((_ x) x)))) (m 3)))
(test 3 (let-syntax ((m (syntax-rules () ((anything x) x)))) (m 3)))

;;; Literals

(define-syntax arrow (syntax-rules (=>) ((_ a => b) '(a to b)) ((_ a b c) '(a b c))))
(test '(1 to 2) (arrow 1 => 2))
(test '(1 -> 2) (arrow 1 -> 2))
(test '(1 => 2) (let ((=> 0)) (arrow 1 => 2)))
(define-syntax is-else (syntax-rules (else) ((_ else) #t) ((_ x) #f)))
(test #t (is-else else))
(test #f (let ((else 1)) (is-else else)))
(test #f (is-else "else"))
(define-syntax my-for (syntax-rules (in from to) ((_ x in l b) (map (lambda (x) b) l)) ((_ x from a to z b) (do ((x a (+ x 1)) (r '() (cons b r))) ((> x z) (reverse r))))))
(test '(1 4 9) (my-for n in '(1 2 3) (* n n)))
(test '(1 4 9) (my-for n from 1 to 3 (* n n)))
(define-syntax elli-lit (syntax-rules (...) ((_ ...) 'dots) ((_ x) 'one)))
(test 'dots (elli-lit ...))
(test 'one (elli-lit 5))
(define-syntax under-lit (syntax-rules (_) ((_ _) 'underscore) ((_ x) 'other)))
(test 'underscore (under-lit _))
(test 'other (under-lit 5))
(define-syntax part-2 (syntax-rules () ((_ a b (m n) ...) (list (cons a '(m ...)) (cons b '(n ...))))))
(test '((10 1 3) (20 2 4)) (part-2 10 20 (1 2) (3 4)))
(test '((10) (20)) (part-2 10 20))

;;; Nested ellipses

(define-syntax flat (syntax-rules () ((_ (a ...) ...) '(a ... ...))))
(test '(1 2 3 4) (flat (1 2) () (3) (4)))
(define-syntax flatter (syntax-rules () ((_ ((a ...) ...) ...) '(a ... ... ...))))
(test '(1 2 3 4 5) (flatter ((1 2) (3)) () ((4) () (5))))
(define-syntax spread (syntax-rules () ((_ (a b ...) ...) '((a (b a) ...) ...))))
(test '((1 (2 1) (3 1)) (4)) (spread (1 2 3) (4)))
(define-syntax my-let-values
  (syntax-rules ()
    ((_ ("step") bound () body) (let bound body))
    ((_ ("step") (bound ...) ((n v) more ...) body) (my-let-values ("step") (bound ... (n v)) (more ...) body))
    ((_ bindings body) (my-let-values ("step") () bindings body))))
(test 3 (my-let-values ((a 1) (b 2)) (+ a b)))
(define-syntax outer-in-inner (syntax-rules () ((_ x (y ...) ...) '((x y ...) ...))))
(test '((0 1 2) (0 3)) (outer-in-inner 0 (1 2) (3)))
(define-syntax lets (syntax-rules () ((_ ((n v) ...) ((b e) ...) ...) (let ((n v) ...) (list (let ((b e) ...) (list b ...)) ...)))))
(test '((1 2) (3)) (lets ((x 1) (y 2)) ((a x) (b y)) ((c (+ x y)))))
(define-syntax my-cond
  (syntax-rules (else)
    ((_ (else e ...)) (begin e ...))
    ((_ (c e ...) clause ...) (if c (begin e ...) (my-cond clause ...)))))
(test 'b (my-cond (#f 'a) (#t 'b) (else 'c)))
(define-syntax do-nothing (syntax-rules () ((_ ((a b ... c) ...) d ...) '((b ...) ... (d a) ...))))
(test '((2 3) () (x 1) (y 5)) (do-nothing ((1 2 3 4) (5 6)) x y))

;;; Escaped and custom ellipses

(define-syntax dots (syntax-rules () ((_ a ...) '(a ... (... ...)))))
(test '(1 2 ...) (dots 1 2))
(test '(1 ... 2) (let-syntax ((m (syntax-rules () ((_ a b) '(a (... ...) b))))) (m 1 2)))
(test '((a ...) b ...) (let-syntax ((m (syntax-rules () ((_ b) '(... ((a ...) b ...)))))) (m b)))
(define-syntax custom (syntax-rules ::: () ((_ a :::) '(a ::: ...))))
(test '(1 2 3 ...) (custom 1 2 3))
(define-syntax my-list-maker (syntax-rules ::: () ((_ name) (define-syntax name (syntax-rules () ((_ x ...) (list x ...)))))))
(my-list-maker make-it)
(test '(1 2) (make-it 1 2))
(define-syntax custom-literal (syntax-rules dots (dots) ((_ x dots) '(x dots)) ((_ x y) 'no)))
(test 'no (custom-literal 1 2))
(define-syntax be-like-begin-2
  (syntax-rules () ((_ name) (define-syntax name (syntax-rules (... ...) () ((_ expr (... ...)) (begin expr (... ...))))))))
(be-like-begin-2 sequence-2)
(test 3 (sequence-2 1 2 3))
(define-syntax be-like-begin-3
  (syntax-rules () ((_ name) (define-syntax name (syntax-rules &et () ((_ expr &et) (begin expr &et)))))))
(be-like-begin-3 sequence-3)
(test 5 (sequence-3 2 3 4 5))
;; An ellipsis that a macro's argument hands to a macro that it defines.
(define-syntax define-tuple
  (syntax-rules () ((_ name dots) (define-syntax name (syntax-rules () ((_ x dots) (list 'tuple x dots)))))))
(define-tuple tuple ...)
(test '(tuple 1 2) (tuple 1 2))

;;; Scoping of let-syntax, letrec-syntax and local define-syntax

(test 'outside (let ((m (lambda () 'outside))) (let-syntax ((m (syntax-rules () ((_) 'inside))) (k (syntax-rules () ((_) (m))))) (k))))
(test 'inside (let ((m (lambda () 'outside))) (letrec-syntax ((m (syntax-rules () ((_) 'inside))) (k (syntax-rules () ((_) (m))))) (k))))
(test '(1 2) (let () (define-syntax pair-of (syntax-rules () ((_ a b) (list a b)))) (define x (pair-of 1 2)) x))
(test 'local (let ((x 'local)) (define-syntax get (syntax-rules () ((_) x))) (let ((x 'inner)) (get))))
(test 2 (let ((f (lambda (x) (+ x 1)))) (let-syntax ((g (syntax-rules () ((_ x) (f x))))) (let ((f (lambda (x) x))) (g 1)))))
(test 'yes (let () (define-syntax foo (syntax-rules () ((_) (bar)))) (define-syntax bar (syntax-rules () ((_) 'yes))) (foo)))
(test #t
      (let ()
        (define-syntax even-args? (syntax-rules () ((_) #t) ((_ x . r) (odd-args? . r))))
        (define-syntax odd-args? (syntax-rules () ((_) #f) ((_ x . r) (even-args? . r))))
        (even-args? 1 2 3 4)))
(let-syntax ((def (syntax-rules () ((_ n v) (define n v)))))
  (define unused-local 1)
  (test 1 unused-local))
(test 'variable (let-syntax ((m (syntax-rules () ((_) 'macro)))) (let ((m (lambda () 'variable))) (m))))
(test 'variable (let () (define (when . x) 'variable) (when 1 2)))
(test '(1 2) (let ((if list)) (if 1 2)))
(test 3 (let ((define +)) (define 1 2)))
(test 5 (let ((quote (lambda (x) x)) (x 5)) 'x))
(define-syntax ten (syntax-rules () ((_) 10)))
(define-syntax ten-alias (syntax-rules () ((_ . args) (ten . args))))
(test 10 (ten-alias))
(define-syntax underscore (syntax-rules () ((foo _) '_)))
(test '_ (underscore foo))
(define-syntax identity-of (syntax-rules () ((_ x) x)))
(test 'loop (let ((identity-of (lambda (x) 'loop))) (identity-of 1)))
;; A definition after use: the name of the macro is a variable from then on.
(define-syntax changing (syntax-rules () ((_) 'macro)))
(test 'macro (changing))
(define (changing) 'procedure)
(test 'procedure (changing))

;;; Al Petrofsky's and others' hygiene problems

(define-syntax my-if (syntax-rules () ((_ c t e) (cond (c t) (else e)))))
(test 'no (let ((else #f)) (my-if #f 'yes 'no)))
(test 'no (let ((if list)) (my-if #f 'yes 'no)))
(test 1 (let-syntax ((foo (syntax-rules () ((_ expr) (+ expr 1))))) (let ((+ *)) (foo 0))))
(test '(1 2 3 a)
      (let ((a 1))
        (letrec-syntax ((foo (syntax-rules () ((_ b) (bar a b))))
                        (bar (syntax-rules () ((_ c d) (cons c (let ((c 3)) (list d c 'c)))))))
          (let ((a 2)) (foo a)))))
(test '((1 2 3) 5)
      (let-syntax ((m (syntax-rules () ((_ x) (let ((a 5)) (list x a))))))
        (let ((a '(1 2 3))) (m a))))
(define-syntax generate (syntax-rules () ((_ (name ...) e) (generate-temps (name ...) () e))))
(define-syntax generate-temps
  (syntax-rules ()
    ((_ () ((t n) ...) e) (let ((t n) ...) (list t ... e)))
    ((_ (a b ...) (pair ...) e) (generate-temps (b ...) (pair ... (temp a)) e))))
(test '(1 2 3 temp) (let ((temp 'temp)) (generate (1 2 3) temp)))
(define-syntax rotate!
  (syntax-rules () ((_ a c ...) (rotate-helper (a c ...) (c ... a) ()))))
(define-syntax rotate-helper
  (syntax-rules ()
    ((_ () () ((v t e) ...)) (let ((t e) ...) (set! v t) ...))
    ((_ (v . vs) (e . es) (done ...)) (rotate-helper vs es (done ... (v temp e))))))
(test '(2 3 1) (let ((a 1) (b 2) (temp 3)) (rotate! a b temp) (list a b temp)))
;; Macros in continuation-passing style
(define-syntax cps-reverse
  (syntax-rules () ((_ () (k ...) acc) (k ... acc)) ((_ (x . r) k acc) (cps-reverse r k (x . acc)))))
(define-syntax quote-it (syntax-rules () ((_ tag x) '(tag x))))
(test '(r (3 2 1)) (cps-reverse (1 2 3) (quote-it r) ()))
(define-syntax ck
  (syntax-rules (quote)
    ((_ () 'v) v)
    ((_ (((op ...) ea ...) . s) 'v) (ck-arg s (op ... 'v) ea ...))
    ((_ s (op ea ...)) (ck-arg s (op) ea ...))))
(define-syntax ck-arg
  (syntax-rules (quote)
    ((_ s (op va ...)) (op s va ...))
    ((_ s (op ...) 'v ea1 ...) (ck-arg s (op ... 'v) ea1 ...))
    ((_ s (op ...) ea ea1 ...) (ck (((op ...) ea1 ...) . s) ea))))
(define-syntax c-cons (syntax-rules (quote) ((_ s 'h 't) (ck s '(h . t)))))
(define-syntax c-append
  (syntax-rules (quote) ((_ s '() 'l2) (ck s 'l2)) ((_ s '(h . t) 'l2) (ck s (c-cons 'h (c-append 't 'l2))))))
(define-syntax c-quote (syntax-rules (quote) ((_ s 'x) (ck s ''x))))
(test '(1 2 3 4) (ck () (c-quote (c-append '(1 2) '(3 4)))))
;; Recognizing symbols (Oleg Kiselyov's trick): is it a symbol, is it this symbol?
(define-syntax symbol??
  (syntax-rules ()
    ((_ (x . y) kt kf) kf)
    ((_ #(x ...) kt kf) kf)
    ((_ maybe kt kf)
     (let-syntax ((test (syntax-rules () ((_ maybe t f) t) ((_ x t f) f)))) (test abracadabra kt kf)))))
(test '(yes no no no) (list (symbol?? foo 'yes 'no) (symbol?? (a b) 'yes 'no) (symbol?? 5 'yes 'no) (symbol?? #(1) 'yes 'no)))
(define-syntax id-eq??
  (syntax-rules ()
    ((_ id b kt kf)
     (let-syntax ((id (syntax-rules () ((_) kf))) (ok (syntax-rules () ((_) kt))))
       (let-syntax ((test (syntax-rules () ((_ b) (id))))) (test ok))))))
(test '(yes no) (list (id-eq?? foo foo 'yes 'no) (id-eq?? foo bar 'yes 'no)))
(define-syntax find-id
  (syntax-rules ()
    ((_ id () k) 'absent)
    ((_ id (x . r) k)
     (let-syntax ((same? (syntax-rules (id) ((_ id) 'present) ((_ other) (find-id id r k))))) (same? x)))))
(test '(present absent) (list (find-id c (a b c d) k) (find-id z (a b c d) k)))
;; letrec by syntax-rules, as in the formal part of R5RS
(define-syntax my-letrec
  (syntax-rules ()
    ((_ ((var init) ...) body ...) (my-letrec "temps" (var ...) () ((var init) ...) body ...))
    ((_ "temps" () (temp ...) ((var init) ...) body ...)
     (let ((var #f) ...) (let ((temp init) ...) (set! var temp) ... (let () body ...))))
    ((_ "temps" (x y ...) (temp ...) bindings body ...)
     (my-letrec "temps" (y ...) (newtemp temp ...) bindings body ...))))
(test #t
      (my-letrec ((ev? (lambda (n) (if (= n 0) #t (od? (- n 1))))) (od? (lambda (n) (if (= n 0) #f (ev? (- n 1))))))
        (define ten 10)
        (ev? ten)))
(define-syntax my-do
  (syntax-rules ()
    ((_ ((var init step ...) ...) (test expr ...) command ...)
     (let loop ((var init) ...)
       (if test (begin #f expr ...) (begin command ... (loop (my-do "step" var step ...) ...)))))
    ((_ "step" x) x)
    ((_ "step" x y) y)))
(test #(0 1 2) (my-do ((vec (make-vector 3)) (i 0 (+ i 1))) ((= i 3) vec) (vector-set! vec i i)))
(define-syntax my-case-lambda
  (syntax-rules () ((_ (params body ...) ...) (list (lambda params body ...) ...))))
(test '(1 (2 3)) (let ((l (my-case-lambda ((x) x) (x x)))) (list ((car l) 1) ((cadr l) 2 3))))
;; define-record-type, define-values, guard and others inside templates
(define-syntax define-point (syntax-rules () ((_ type make is get) (define-record-type type (make x) is (x get)))))
(define-point point make-point point? point-x)
(test '(#t 3) (let ((p (make-point 3))) (list (point? p) (point-x p))))
(define-syntax define-both (syntax-rules () ((_ a b e) (define-values (a b) e))))
(define-both both-a both-b (values 1 2))
(test '(1 2) (list both-a both-b))
(define-syntax catching (syntax-rules () ((_ e) (guard (err (#t (list 'caught err))) e))))
(test '(caught oops) (let ((err 'oops)) (catching (raise err))))
(define-syntax with-parameter (syntax-rules () ((_ p v e) (parameterize ((p v)) e))))
(test 2 (let ((p (make-parameter 1))) (with-parameter p 2 (p))))
(define-syntax case-of (syntax-rules () ((_ e (k v) ...) (case e ((k) v) ... (else 'none)))))
(test '(b none) (list (case-of 'y (x 'a) (y 'b)) (case-of 'z (x 'a) (y 'b))))
(define-syntax values-of (syntax-rules () ((_ (f e) b) (let-values ((f e)) b))))
(test '(1 (2)) (values-of ((a . b) (values 1 2)) (list a b)))
(define-syntax promise-of (syntax-rules () ((_ e) (let ((x 1)) (list x e)))))
(test '(1 2) (let ((x 2)) (promise-of x)))

;;; Errors

(test-syntax-error '(let-syntax ((m (syntax-rules () ((_ a) a)))) (m)))
(test-syntax-error '(let-syntax ((m (syntax-rules () ((_ a) a)))) (m 1 2)))
(test-syntax-error '(let-syntax ((m (syntax-rules () ((_ a ...) a)))) (m 1 2)))
(test-syntax-error '(let-syntax ((m (syntax-rules () ((_ a a) a)))) (m 1 2)))
(test-syntax-error '(let-syntax ((m (syntax-rules () ((_ a) (a ...))))) (m 1)))
(test-syntax-error '(let-syntax ((m (syntax-rules () ((_ a ... b ...) 1)))) (m 1)))
(test-syntax-error '(let-syntax ((m 5)) (m)))
(test-syntax-error '(syntax-error "my message" 1 2))
(test "my message" (guard (e (#t (error-object-message e))) (eval '(syntax-error "my message" (a b)) (environment '(scheme base)))))

(test-report)
