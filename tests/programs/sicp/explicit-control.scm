;;; The explicit-control evaluator (SICP 5.4): an evaluator of Scheme as the controller of a register machine.
;;;
;;; Before a call of the subroutine evaluate, expression, environment and continue are set; value has the result when it
;;; goes to continue. Environments, procedures and primitives are those of metacircular.scm.

(load "metacircular.scm")
(load "register-machine.scm")

;; ── The machine's operations ────────────────────────────────────────────────────────────────────────────────────────

(define (constant? expression)
  (and (not (pair? expression)) (not (symbol? expression))))

(define (form? expression keyword)
  (and (pair? expression) (eq? (car expression) keyword)))

(define (alternative-of expression)
  (if (null? (cdddr expression)) false (cadddr expression)))

(define (defined-name expression)
  (if (pair? (cadr expression)) (caadr expression) (cadr expression)))

(define (defined-value expression)
  (if (pair? (cadr expression))
      (cons 'lambda (cons (cdadr expression) (cddr expression)))
      (caddr expression)))

(define (let->call expression)
  (cons (cons 'lambda (cons (map car (cadr expression)) (cddr expression)))
        (map cadr (cadr expression))))

(define (cond->if expression)
  (clauses->if (cdr expression)))

(define (clauses->if clauses)
  (cond ((null? clauses) false)
        ((eq? (caar clauses) 'else) (cons 'begin (cdar clauses)))
        (else (list 'if (caar clauses) (cons 'begin (cdar clauses)) (clauses->if (cdr clauses))))))

(define (primitive? procedure)
  (eq? (car procedure) 'primitive))

(define (apply-primitive procedure arguments)
  (apply (cadr procedure) arguments))

(define (procedure-body procedure)
  (caddr procedure))

(define (extend-for procedure arguments)
  (extend (cadr procedure) arguments (cadddr procedure)))

(define (last-one? items)
  (null? (cdr items)))

(define (adjoin-argument argument arguments)
  (append arguments (list argument)))

(define (no-arguments)
  '())

(define evaluator-operations
  (list (list 'constant? constant?) (list 'symbol? symbol?) (list 'form? form?)
        (list 'car car) (list 'cdr cdr) (list 'cadr cadr) (list 'cddr cddr) (list 'caddr caddr)
        (list 'null? null?) (list 'last-one? last-one?)
        (list 'alternative-of alternative-of)
        (list 'defined-name defined-name) (list 'defined-value defined-value)
        (list 'let->call let->call) (list 'cond->if cond->if)
        (list 'lookup lookup) (list 'set-variable! set-variable!) (list 'define-variable! define-variable!)
        (list 'make-procedure make-procedure) (list 'primitive? primitive?)
        (list 'apply-primitive apply-primitive)
        (list 'procedure-body procedure-body) (list 'extend-for extend-for)
        (list 'adjoin-argument adjoin-argument) (list 'no-arguments no-arguments)))

;; ── The controller ──────────────────────────────────────────────────────────────────────────────────────────────────

(define evaluator-text
  '((assign continue (label done))

    evaluate
    (test (op constant?) (reg expression))
    (branch (label evaluate-constant))
    (test (op symbol?) (reg expression))
    (branch (label evaluate-variable))
    (test (op form?) (reg expression) (const quote))
    (branch (label evaluate-quotation))
    (test (op form?) (reg expression) (const set!))
    (branch (label evaluate-assignment))
    (test (op form?) (reg expression) (const define))
    (branch (label evaluate-definition))
    (test (op form?) (reg expression) (const if))
    (branch (label evaluate-choice))
    (test (op form?) (reg expression) (const cond))
    (branch (label evaluate-clauses))
    (test (op form?) (reg expression) (const lambda))
    (branch (label evaluate-procedure))
    (test (op form?) (reg expression) (const let))
    (branch (label evaluate-let))
    (test (op form?) (reg expression) (const begin))
    (branch (label evaluate-begin))
    (goto (label evaluate-call))

    evaluate-constant
    (assign value (reg expression))
    (goto (reg continue))
    evaluate-variable
    (assign value (op lookup) (reg expression) (reg environment))
    (goto (reg continue))
    evaluate-quotation
    (assign value (op cadr) (reg expression))
    (goto (reg continue))
    evaluate-procedure
    (assign parameters (op cadr) (reg expression))
    (assign sequence (op cddr) (reg expression))
    (assign value (op make-procedure) (reg parameters) (reg sequence) (reg environment))
    (goto (reg continue))
    evaluate-clauses
    (assign expression (op cond->if) (reg expression))
    (goto (label evaluate))
    evaluate-let
    (assign expression (op let->call) (reg expression))
    (goto (label evaluate))

    ;; Calls: the operator, then the operands from left to right.
    evaluate-call
    (save continue)
    (save environment)
    (assign operands (op cdr) (reg expression))
    (save operands)
    (assign expression (op car) (reg expression))
    (assign continue (label operator-done))
    (goto (label evaluate))
    operator-done
    (restore operands)
    (restore environment)
    (assign arguments (op no-arguments))
    (assign procedure (reg value))
    (test (op null?) (reg operands))
    (branch (label apply))
    (save procedure)
    next-operand
    (save arguments)
    (assign expression (op car) (reg operands))
    (test (op last-one?) (reg operands))
    (branch (label last-operand))
    (save environment)
    (save operands)
    (assign continue (label operand-done))
    (goto (label evaluate))
    operand-done
    (restore operands)
    (restore environment)
    (restore arguments)
    (assign arguments (op adjoin-argument) (reg value) (reg arguments))
    (assign operands (op cdr) (reg operands))
    (goto (label next-operand))
    last-operand
    (assign continue (label last-operand-done))
    (goto (label evaluate))
    last-operand-done
    (restore arguments)
    (assign arguments (op adjoin-argument) (reg value) (reg arguments))
    (restore procedure)

    apply
    (test (op primitive?) (reg procedure))
    (branch (label apply-primitive))
    (assign environment (op extend-for) (reg procedure) (reg arguments))
    (assign sequence (op procedure-body) (reg procedure))
    (goto (label evaluate-sequence))
    apply-primitive
    (assign value (op apply-primitive) (reg procedure) (reg arguments))
    (restore continue)
    (goto (reg continue))

    ;; The last expression of a sequence runs with nothing of this sequence on the stack: tail calls need no space.
    evaluate-begin
    (assign sequence (op cdr) (reg expression))
    (save continue)
    evaluate-sequence
    (assign expression (op car) (reg sequence))
    (test (op last-one?) (reg sequence))
    (branch (label last-expression))
    (save sequence)
    (save environment)
    (assign continue (label expression-done))
    (goto (label evaluate))
    expression-done
    (restore environment)
    (restore sequence)
    (assign sequence (op cdr) (reg sequence))
    (goto (label evaluate-sequence))
    last-expression
    (restore continue)
    (goto (label evaluate))

    evaluate-choice
    (save expression)
    (save environment)
    (save continue)
    (assign continue (label test-done))
    (assign expression (op cadr) (reg expression))
    (goto (label evaluate))
    test-done
    (restore continue)
    (restore environment)
    (restore expression)
    (test (reg value))
    (branch (label choose-consequent))
    (assign expression (op alternative-of) (reg expression))
    (goto (label evaluate))
    choose-consequent
    (assign expression (op caddr) (reg expression))
    (goto (label evaluate))

    evaluate-assignment
    (assign name (op cadr) (reg expression))
    (save name)
    (save environment)
    (save continue)
    (assign expression (op caddr) (reg expression))
    (assign continue (label assignment-done))
    (goto (label evaluate))
    assignment-done
    (restore continue)
    (restore environment)
    (restore name)
    (assign value (op set-variable!) (reg name) (reg value) (reg environment))
    (goto (reg continue))

    evaluate-definition
    (assign name (op defined-name) (reg expression))
    (save name)
    (save environment)
    (save continue)
    (assign expression (op defined-value) (reg expression))
    (assign continue (label definition-done))
    (goto (label evaluate))
    definition-done
    (restore continue)
    (restore environment)
    (restore name)
    (assign value (op define-variable!) (reg name) (reg value) (reg environment))
    (goto (reg continue))

    done))

(define evaluator-machine
  (make-machine evaluator-operations evaluator-text))

(define (machine-evaluate expression environment)
  (run evaluator-machine (list (list 'expression expression) (list 'environment environment)) 'value))

(define (machine-statistics)
  ((evaluator-machine 'stack) 'statistics))
