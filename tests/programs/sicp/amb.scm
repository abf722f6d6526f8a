;;; The amb evaluator (SICP 4.3): an expression may have several values, and the search goes on until all are content.
;;;
;;; (amb-analyze expression) gives a procedure of an environment and two continuations. (succeed value fail) goes on with
;;; a value; (fail) goes back to the last choice that was made and tries the next one. Environments, procedures and
;;; primitives are those of metacircular.scm.

(load "metacircular.scm")

(define (amb-analyze expression)
  (cond ((symbol? expression)
         (lambda (environment succeed fail)
           (succeed (lookup expression environment) fail)))
        ((not (pair? expression))
         (lambda (environment succeed fail)
           (succeed expression fail)))
        ((assq (car expression) amb-forms)
         ((cdr (assq (car expression) amb-forms)) (cdr expression)))
        (else
         (amb-call (amb-analyze (car expression)) (map amb-analyze (cdr expression))))))

;; ── Choices ─────────────────────────────────────────────────────────────────────────────────────────────────────────

(define (amb-choice operands)
  (let ((choices (map amb-analyze operands)))
    (lambda (environment succeed fail)
      (define (try-next choices)
        (if (null? choices)
            (fail)
            ((car choices) environment
                           succeed
                           (lambda () (try-next (cdr choices))))))
      (try-next choices))))

;; ── The other forms ─────────────────────────────────────────────────────────────────────────────────────────────────

(define (amb-quote operands)
  (lambda (environment succeed fail)
    (succeed (car operands) fail)))

(define (amb-lambda operands)
  (let ((body (amb-sequence (cdr operands))))
    (lambda (environment succeed fail)
      (succeed (make-procedure (car operands) body environment) fail))))

(define (amb-if operands)
  (let ((test (amb-analyze (car operands)))
        (consequent (amb-analyze (cadr operands)))
        (alternative (amb-analyze (if (null? (cddr operands)) false (caddr operands)))))
    (lambda (environment succeed fail)
      (test environment
            (lambda (value fail)
              (if value
                  (consequent environment succeed fail)
                  (alternative environment succeed fail)))
            fail))))

(define (amb-sequence expressions)
  (let ((first-part (amb-analyze (car expressions))))
    (if (null? (cdr expressions))
        first-part
        (let ((others (amb-sequence (cdr expressions))))
          (lambda (environment succeed fail)
            (first-part environment
                        (lambda (value fail) (others environment succeed fail))
                        fail))))))

(define (amb-define operands)
  (if (pair? (car operands))
      (amb-define (list (caar operands)
                        (cons 'lambda (cons (cdar operands) (cdr operands)))))
      (let ((value (amb-analyze (cadr operands))))
        (lambda (environment succeed fail)
          (value environment
                 (lambda (value fail)
                   (succeed (define-variable! (car operands) value environment) fail))
                 fail)))))

;; An assignment is undone when the search goes back behind it; permanent-set! is not.
(define (amb-set! operands)
  (let ((name (car operands))
        (value (amb-analyze (cadr operands))))
    (lambda (environment succeed fail)
      (value environment
             (lambda (value fail)
               (let ((before (lookup name environment)))
                 (set-variable! name value environment)
                 (succeed 'ok
                          (lambda ()
                            (set-variable! name before environment)
                            (fail)))))
             fail))))

(define (amb-permanent-set! operands)
  (let ((value (amb-analyze (cadr operands))))
    (lambda (environment succeed fail)
      (value environment
             (lambda (value fail)
               (succeed (set-variable! (car operands) value environment) fail))
             fail))))

(define (amb-let operands)
  (amb-analyze (cons (cons 'lambda (cons (map car (car operands)) (cdr operands)))
                     (map cadr (car operands)))))

(define (amb-cond clauses)
  (cond ((null? clauses) (amb-analyze false))
        ((eq? (caar clauses) 'else) (amb-sequence (cdar clauses)))
        (else
         (amb-if (list (caar clauses) (cons 'begin (cdar clauses)) (cons 'cond (cdr clauses)))))))

(define (amb-and operands)
  (cond ((null? operands) (amb-analyze true))
        ((null? (cdr operands)) (amb-analyze (car operands)))
        (else (amb-if (list (car operands) (cons 'and (cdr operands)) false)))))

(define (amb-or operands)
  (if (null? operands)
      (amb-analyze false)
      (let ((first-test (amb-analyze (car operands)))
            (others (amb-or (cdr operands))))
        (lambda (environment succeed fail)
          (first-test environment
                      (lambda (value fail)
                        (if value
                            (succeed value fail)
                            (others environment succeed fail)))
                      fail)))))

(define amb-forms
  (list (cons 'amb amb-choice)
        (cons 'quote amb-quote)
        (cons 'lambda amb-lambda)
        (cons 'if amb-if)
        (cons 'begin amb-sequence)
        (cons 'define amb-define)
        (cons 'set! amb-set!)
        (cons 'permanent-set! amb-permanent-set!)
        (cons 'let amb-let)
        (cons 'cond amb-cond)
        (cons 'and amb-and)
        (cons 'or amb-or)))

;; ── Calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

(define (amb-call operator operands)
  (lambda (environment succeed fail)
    (operator environment
              (lambda (procedure fail)
                (amb-arguments operands
                               environment
                               (lambda (arguments fail)
                                 (amb-apply procedure arguments succeed fail))
                               fail))
              fail)))

(define (amb-arguments operands environment succeed fail)
  (if (null? operands)
      (succeed '() fail)
      ((car operands) environment
                      (lambda (argument fail)
                        (amb-arguments (cdr operands)
                                       environment
                                       (lambda (others fail)
                                         (succeed (cons argument others) fail))
                                       fail))
                      fail)))

(define (amb-apply procedure arguments succeed fail)
  (cond ((eq? (car procedure) 'primitive)
         (succeed (apply (cadr procedure) arguments) fail))
        ((eq? (car procedure) 'compound)
         ((caddr procedure)
          (extend (cadr procedure) arguments (cadddr procedure))
          succeed
          fail))
        (else (error "not a procedure: " procedure))))

;; ── Asking ──────────────────────────────────────────────────────────────────────────────────────────────────────────

(define (make-amb-environment)
  (let ((environment (make-global-environment)))
    (for-each (lambda (definition) (first-value definition environment))
              '((define (require condition) (if (not condition) (amb)))
                (define (an-integer-from n) (amb n (an-integer-from (+ n 1))))
                (define (an-element-of items)
                  (require (not (null? items)))
                  (amb (car items) (an-element-of (cdr items))))))
    environment))

;; The first value of an expression, or the word none.
(define (first-value expression environment)
  ((amb-analyze expression) environment
                            (lambda (value fail) value)
                            (lambda () 'none)))

;; The list of the first values, at most so many. Each failure hands over the next value.
(define (values-of expression most environment)
  (let ((found '()))
    ((amb-analyze expression) environment
                              (lambda (value fail)
                                (set! found (cons value found))
                                (if (< (length found) most) (fail)))
                              (lambda () 'no-more))
    (reverse found)))

;; ── The driver ──────────────────────────────────────────────────────────────────────────────────────────────────────
;; try-again, typed in the place of an expression, asks for the next value of the last one.

(define (amb-driver-loop)
  (define environment (make-amb-environment))
  (define (loop try-again)
    (display "amb> ")
    (let ((expression (read)))
      (cond ((eof-object? expression) 'goodbye)
            ((eq? expression 'try-again) (try-again))
            (else
             ((amb-analyze expression) environment
                                       (lambda (value fail)
                                         (print-value value)
                                         (loop fail))
                                       (lambda ()
                                         (display "no more values of ")
                                         (print-value expression)
                                         (loop nothing-to-try)))))))
  (define (nothing-to-try)
    (display "there is nothing to try again")
    (newline)
    (loop nothing-to-try))
  (loop nothing-to-try))
