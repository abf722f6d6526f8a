;;; A compiler from Scheme to the instructions of the register machine (SICP 5.5).
;;;
;;; (compile expression target linkage) gives a piece of code that leaves the value in the register target and goes on as
;;; linkage says: next (the instruction that follows), return (to the place in continue), or a label. A piece knows which
;;; registers it needs and which it modifies, so that one is saved around another only where that makes a difference.

(load "explicit-control.scm")

;; ── Pieces of code ──────────────────────────────────────────────────────────────────────────────────────────────────

(define (make-code needs modifies statements)
  (list needs modifies statements))

(define (needs code)
  (car code))

(define (modifies code)
  (cadr code))

(define (statements code)
  (caddr code))

(define empty-code
  (make-code '() '() '()))

(define (label-code label)
  (make-code '() '() (list label)))

(define (union set1 set2)
  (cond ((null? set1) set2)
        ((memq (car set1) set2) (union (cdr set1) set2))
        (else (cons (car set1) (union (cdr set1) set2)))))

(define (difference set1 set2)
  (cond ((null? set1) '())
        ((memq (car set1) set2) (difference (cdr set1) set2))
        (else (cons (car set1) (difference (cdr set1) set2)))))

;; One piece after the other.
(define (in-order . pieces)
  (define (two first-piece second-piece)
    (make-code (union (needs first-piece) (difference (needs second-piece) (modifies first-piece)))
               (union (modifies first-piece) (modifies second-piece))
               (append (statements first-piece) (statements second-piece))))
  (if (null? pieces)
      empty-code
      (two (car pieces) (apply in-order (cdr pieces)))))

;; Two pieces, with those of the registers saved around the first that it modifies and the second needs.
(define (preserving registers first-piece second-piece)
  (cond ((null? registers) (in-order first-piece second-piece))
        ((and (memq (car registers) (needs second-piece))
              (memq (car registers) (modifies first-piece)))
         (preserving (cdr registers) (saving (car registers) first-piece) second-piece))
        (else (preserving (cdr registers) first-piece second-piece))))

(define (saving register code)
  (make-code (union (list register) (needs code))
             (difference (modifies code) (list register))
             (append (list (list 'save register))
                     (statements code)
                     (list (list 'restore register)))))

;; Two pieces of which only one runs.
(define (either first-piece second-piece)
  (make-code (union (needs first-piece) (needs second-piece))
             (union (modifies first-piece) (modifies second-piece))
             (append (statements first-piece) (statements second-piece))))

;; Code that stands there without being run by what is before it, as the body of a procedure does.
(define (with-body code body)
  (make-code (needs code) (modifies code) (append (statements code) (statements body))))

(define number-of-labels 0)

(define (new-label name)
  (set! number-of-labels (+ number-of-labels 1))
  (string->symbol (string-append (symbol->string name) "-" (number->string number-of-labels))))

;; ── Linkage ─────────────────────────────────────────────────────────────────────────────────────────────────────────

(define (linkage-code linkage)
  (cond ((eq? linkage 'return) (make-code '(continue) '() '((goto (reg continue)))))
        ((eq? linkage 'next) empty-code)
        (else (make-code '() '() (list (list 'goto (list 'label linkage)))))))

(define (with-linkage linkage code)
  (preserving '(continue) code (linkage-code linkage)))

;; ── Expressions ─────────────────────────────────────────────────────────────────────────────────────────────────────

(define (compile expression target linkage)
  (cond ((constant? expression) (compile-constant expression target linkage))
        ((symbol? expression) (compile-variable expression target linkage))
        ((form? expression 'quote) (compile-constant (cadr expression) target linkage))
        ((form? expression 'set!)
         (compile-binding 'set-variable! (cadr expression) (caddr expression) target linkage))
        ((form? expression 'define)
         (compile-binding 'define-variable!
                          (defined-name expression)
                          (defined-value expression)
                          target
                          linkage))
        ((form? expression 'if) (compile-if expression target linkage))
        ((form? expression 'cond) (compile (cond->if expression) target linkage))
        ((form? expression 'let) (compile (let->call expression) target linkage))
        ((form? expression 'begin) (compile-sequence (cdr expression) target linkage))
        ((form? expression 'lambda) (compile-lambda expression target linkage))
        (else (compile-call expression target linkage))))

(define (compile-constant value target linkage)
  (with-linkage linkage
    (make-code '() (list target) (list (list 'assign target (list 'const value))))))

(define (compile-variable name target linkage)
  (with-linkage linkage
    (make-code '(environment)
               (list target)
               (list (list 'assign target '(op lookup) (list 'const name) '(reg environment))))))

(define (compile-binding operation name expression target linkage)
  (with-linkage linkage
    (preserving '(environment)
                (compile expression 'value 'next)
                (make-code '(environment value)
                           (list target)
                           (list (list 'assign target
                                       (list 'op operation) (list 'const name) '(reg value) '(reg environment)))))))

(define (compile-if expression target linkage)
  (let ((consequent-label (new-label 'consequent))
        (after-label (new-label 'after-if)))
    (let ((test (compile (cadr expression) 'value 'next))
          (alternative (compile (alternative-of expression) target (if (eq? linkage 'next) after-label linkage)))
          (consequent (compile (caddr expression) target linkage)))
      (preserving '(environment continue)
                  test
                  (in-order
                   (make-code '(value)
                              '()
                              (list '(test (reg value))
                                    (list 'branch (list 'label consequent-label))))
                   (either alternative (in-order (label-code consequent-label) consequent))
                   (label-code after-label))))))

(define (compile-sequence expressions target linkage)
  (if (null? (cdr expressions))
      (compile (car expressions) target linkage)
      (preserving '(environment continue)
                  (compile (car expressions) 'value 'next)
                  (compile-sequence (cdr expressions) target linkage))))

;; A compiled procedure is (compiled entry environment).
(define (make-compiled entry environment)
  (list 'compiled entry environment))

(define (compile-lambda expression target linkage)
  (let ((entry (new-label 'entry))
        (after (new-label 'after-lambda)))
    (in-order
     (with-body
      (with-linkage (if (eq? linkage 'next) after linkage)
        (make-code '(environment)
                   (list target)
                   (list (list 'assign target '(op make-compiled) (list 'label entry) '(reg environment)))))
      (in-order
       (make-code '(procedure arguments)
                  '(environment)
                  (list entry
                        '(assign environment (op caddr) (reg procedure))
                        (list 'assign 'environment
                              '(op extend) (list 'const (cadr expression)) '(reg arguments) '(reg environment))))
       (compile-sequence (cddr expression) 'value 'return)))
     (label-code after))))

;; ── Calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

(define all-registers
  '(environment procedure arguments value continue))

(define (compile-call expression target linkage)
  (preserving '(environment continue)
              (compile (car expression) 'procedure 'next)
              (preserving '(procedure continue)
                          (compile-operands (reverse (cdr expression)))
                          (compile-apply target linkage))))

;; The operands from the last to the first: the last one makes a list, each of the others is put in front of it.
(define (compile-operands operands)
  (define (rest-of operands)
    (if (null? operands)
        empty-code
        (preserving '(environment)
                    (preserving '(arguments)
                                (compile (car operands) 'value 'next)
                                (arguments-code '(value arguments) '((op cons) (reg value) (reg arguments))))
                    (rest-of (cdr operands)))))
  (if (null? operands)
      (arguments-code '() '((const ())))
      (preserving '(environment)
                  (in-order (compile (car operands) 'value 'next)
                            (arguments-code '(value) '((op list) (reg value))))
                  (rest-of (cdr operands)))))

(define (arguments-code needs source)
  (make-code needs '(arguments) (list (append '(assign arguments) source))))

(define (compile-apply target linkage)
  (let ((primitive-label (new-label 'primitive))
        (after-label (new-label 'after-call)))
    (in-order
     (make-code '(procedure)
                '()
                (list '(test (op primitive?) (reg procedure))
                      (list 'branch (list 'label primitive-label))))
     (either
      (compile-compiled-apply target (if (eq? linkage 'next) after-label linkage))
      (in-order
       (label-code primitive-label)
       (with-linkage linkage
         (make-code '(procedure arguments)
                    (list target)
                    (list (list 'assign target '(op apply-primitive) '(reg procedure) '(reg arguments)))))))
     (label-code after-label))))

;; The body leaves its value in the register value. With linkage return, the caller's continue is the body's: a tail
;; call. Only the last of a procedure's expressions has it, with value as its target.
(define (compile-compiled-apply target linkage)
  (if (eq? linkage 'return)
      (make-code '(procedure continue)
                 all-registers
                 '((assign entry (op cadr) (reg procedure))
                   (goto (reg entry))))
      (let ((back (new-label 'back)))
        (make-code '(procedure)
                   all-registers
                   (append (list (list 'assign 'continue (list 'label back))
                                 '(assign entry (op cadr) (reg procedure))
                                 '(goto (reg entry))
                                 back)
                           (if (eq? target 'value) '() (list (list 'assign target '(reg value))))
                           (list (list 'goto (list 'label linkage))))))))

;; ── Running compiled code ───────────────────────────────────────────────────────────────────────────────────────────

(define compiled-code-operations
  (append (list (list 'make-compiled make-compiled) (list 'extend extend) (list 'cons cons) (list 'list list))
          evaluator-operations))

(define (compile-to-machine expression)
  (make-machine compiled-code-operations
                (statements (compile expression 'value 'next))))

(define (compile-and-run expression)
  (run (compile-to-machine expression)
       (list (list 'environment (make-global-environment)))
       'value))
