;;; The analyzing evaluator (SICP 4.1.7): syntax is looked at once, and what comes out runs many times.
;;;
;;; (analyze expression) gives a procedure of an environment. It takes environments, procedures and primitives from
;;; metacircular.scm; only apply-procedure differs, since the body of a procedure is now analyzed already.

(load "metacircular.scm")

(define (evaluate expression environment)
  ((analyze expression) environment))

(define (analyze expression)
  (cond ((symbol? expression)
         (lambda (environment) (lookup expression environment)))
        ((not (pair? expression))
         (lambda (environment) expression))
        ((assq (car expression) analyzers)
         ((cdr (assq (car expression) analyzers)) (cdr expression)))
        (else
         (analyze-call (analyze (car expression)) (map analyze (cdr expression))))))

(define (analyze-call operator operands)
  (lambda (environment)
    (apply-procedure (operator environment)
                     (map (lambda (operand) (operand environment)) operands))))

;; A sequence of two or more runs the first, then the rest.
(define (analyze-sequence expressions)
  (let ((first-part (analyze (car expressions))))
    (if (null? (cdr expressions))
        first-part
        (let ((others (analyze-sequence (cdr expressions))))
          (lambda (environment)
            (first-part environment)
            (others environment))))))

(define (analyze-quote operands)
  (lambda (environment) (car operands)))

(define (analyze-if operands)
  (let ((test (analyze (car operands)))
        (consequent (analyze (cadr operands)))
        (alternative (if (null? (cddr operands)) (analyze false) (analyze (caddr operands)))))
    (lambda (environment)
      (if (test environment)
          (consequent environment)
          (alternative environment)))))

(define (analyze-lambda operands)
  (let ((body (analyze-sequence (cdr operands))))
    (lambda (environment)
      (make-procedure (car operands) body environment))))

(define (analyze-define operands)
  (let ((target (car operands)))
    (if (symbol? target)
        (analyze-binding target (analyze (cadr operands)) define-variable!)
        (analyze-binding (car target)
                         (analyze-lambda (cons (cdr target) (cdr operands)))
                         define-variable!))))

(define (analyze-set! operands)
  (analyze-binding (car operands) (analyze (cadr operands)) set-variable!))

(define (analyze-binding name value bind!)
  (lambda (environment)
    (bind! name (value environment) environment)))

;; cond, let, and, or are short for the forms above.

(define (analyze-cond clauses)
  (cond ((null? clauses) (analyze false))
        ((eq? (caar clauses) 'else) (analyze-sequence (cdar clauses)))
        (else
         (analyze (list 'if (caar clauses) (cons 'begin (cdar clauses)) (cons 'cond (cdr clauses)))))))

(define (analyze-let operands)
  (analyze (cons (cons 'lambda (cons (map car (car operands)) (cdr operands)))
                 (map cadr (car operands)))))

(define (analyze-and operands)
  (cond ((null? operands) (analyze true))
        ((null? (cdr operands)) (analyze (car operands)))
        (else (analyze (list 'if (car operands) (cons 'and (cdr operands)) false)))))

(define (analyze-or operands)
  (if (null? operands)
      (analyze false)
      (let ((first-test (analyze (car operands)))
            (others (analyze-or (cdr operands))))
        (lambda (environment)
          (or (first-test environment) (others environment))))))

(define analyzers
  (list (cons 'quote analyze-quote)
        (cons 'if analyze-if)
        (cons 'lambda analyze-lambda)
        (cons 'define analyze-define)
        (cons 'set! analyze-set!)
        (cons 'begin analyze-sequence)
        (cons 'cond analyze-cond)
        (cons 'and analyze-and)
        (cons 'or analyze-or)
        (cons 'let analyze-let)))

(define (apply-procedure procedure arguments)
  (cond ((eq? (car procedure) 'primitive) (apply (cadr procedure) arguments))
        ((eq? (car procedure) 'compound)
         ((caddr procedure) (extend (cadr procedure) arguments (cadddr procedure))))
        (else (error "not a procedure: " procedure))))
