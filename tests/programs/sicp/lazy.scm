;;; The lazy evaluator (SICP 4.2): the operands of a compound procedure are evaluated when, and if, they are needed.
;;;
;;; A thunk is (thunk expression environment) until it is forced, (evaluated-thunk value) from then on. Everything that
;;; metacircular.scm evaluates for its value goes through actual-value here.

(load "metacircular.scm")

;; ── Thunks ──────────────────────────────────────────────────────────────────────────────────────────────────────────

(define (delay-it expression environment)
  (list 'thunk expression environment))

(define (tagged? object tag)
  (and (pair? object) (eq? (car object) tag)))

(define (force-it object)
  (cond ((tagged? object 'thunk)
         (let ((value (actual-value (cadr object) (caddr object))))
           (set-car! object 'evaluated-thunk)
           (set-cdr! object (list value))
           value))
        ((tagged? object 'evaluated-thunk) (cadr object))
        (else object)))

(define (actual-value expression environment)
  (force-it (evaluate expression environment)))

;; ── Calls and tests ─────────────────────────────────────────────────────────────────────────────────────────────────

(define (evaluate expression environment)
  (cond ((symbol? expression) (lookup expression environment))
        ((not (pair? expression)) expression)
        ((assq (car expression) special-forms)
         ((cdr (assq (car expression) special-forms)) (cdr expression) environment))
        (else
         (lazy-apply (actual-value (car expression) environment) (cdr expression) environment))))

(define (lazy-apply procedure operands environment)
  (cond ((tagged? procedure 'primitive)
         (apply (cadr procedure)
                (map (lambda (operand) (actual-value operand environment)) operands)))
        ((tagged? procedure 'compound)
         (evaluate-sequence
          (caddr procedure)
          (extend (cadr procedure)
                  (map (lambda (operand) (delay-it operand environment)) operands)
                  (cadddr procedure))))
        (else (error "not a procedure: " procedure))))

(define (evaluate-if operands environment)
  (cond ((actual-value (car operands) environment) (evaluate (cadr operands) environment))
        ((null? (cddr operands)) false)
        (else (evaluate (caddr operands) environment))))

(define (evaluate-cond clauses environment)
  (cond ((null? clauses) false)
        ((or (eq? (caar clauses) 'else) (actual-value (caar clauses) environment))
         (evaluate-sequence (cdar clauses) environment))
        (else (evaluate-cond (cdr clauses) environment))))

(set! special-forms
      (append (list (cons 'if evaluate-if) (cons 'cond evaluate-cond)) special-forms))

;; ── Lists as lazy as streams (SICP 4.2.3) ───────────────────────────────────────────────────────────────────────────
;; With cons a compound procedure, neither the first nor the rest of a pair is computed before somebody asks.

(define (make-lazy-environment)
  (let ((environment (make-global-environment)))
    (for-each (lambda (definition) (evaluate definition environment))
              '((define (cons x y) (lambda (m) (m x y)))
                (define (car z) (z (lambda (p q) p)))
                (define (cdr z) (z (lambda (p q) q)))))
    environment))
