;;; An evaluator for Scheme, written in the Scheme that it evaluates (SICP 4.1).
;;;
;;; (evaluate expression environment) is all that a user needs, with an environment from (make-global-environment).
;;; The file uses no special form and no primitive that it does not provide, so it can evaluate itself.

;; ── Expressions ─────────────────────────────────────────────────────────────────────────────────────────────────────
;; A variable is a symbol; a special form begins with a keyword of the table below; any other pair is a call.

(define (evaluate expression environment)
  (cond ((symbol? expression) (lookup expression environment))
        ((not (pair? expression)) expression)
        ((assq (car expression) special-forms)
         ((cdr (assq (car expression) special-forms)) (cdr expression) environment))
        (else
         (apply-procedure (evaluate (car expression) environment)
                          (evaluate-all (cdr expression) environment)))))

(define (evaluate-all expressions environment)
  (if (null? expressions)
      '()
      (let ((value (evaluate (car expressions) environment)))
        (cons value (evaluate-all (cdr expressions) environment)))))

(define (evaluate-sequence expressions environment)
  (if (null? (cdr expressions))
      (evaluate (car expressions) environment)
      (begin (evaluate (car expressions) environment)
             (evaluate-sequence (cdr expressions) environment))))

;; ── Special forms ───────────────────────────────────────────────────────────────────────────────────────────────────
;; Each is a procedure of the operands, not evaluated, and the environment.

(define (evaluate-quote operands environment)
  (car operands))

(define (evaluate-if operands environment)
  (cond ((evaluate (car operands) environment) (evaluate (cadr operands) environment))
        ((null? (cddr operands)) false)
        (else (evaluate (caddr operands) environment))))

(define (evaluate-lambda operands environment)
  (make-procedure (car operands) (cdr operands) environment))

(define (evaluate-define operands environment)
  (let ((target (car operands)))
    (if (symbol? target)
        (define-variable! target (evaluate (cadr operands) environment) environment)
        (define-variable! (car target) (make-procedure (cdr target) (cdr operands) environment) environment))))

(define (evaluate-set! operands environment)
  (set-variable! (car operands) (evaluate (cadr operands) environment) environment))

(define (evaluate-cond clauses environment)
  (if (null? clauses)
      false
      (let ((clause (car clauses)))
        (if (or (eq? (car clause) 'else) (evaluate (car clause) environment))
            (evaluate-sequence (cdr clause) environment)
            (evaluate-cond (cdr clauses) environment)))))

(define (evaluate-and operands environment)
  (cond ((null? operands) true)
        ((null? (cdr operands)) (evaluate (car operands) environment))
        ((evaluate (car operands) environment) (evaluate-and (cdr operands) environment))
        (else false)))

(define (evaluate-or operands environment)
  (if (null? operands)
      false
      (let ((value (evaluate (car operands) environment)))
        (if value
            value
            (evaluate-or (cdr operands) environment)))))

;; (let ((name value) ...) body ...) stands for ((lambda (name ...) body ...) value ...).
(define (evaluate-let operands environment)
  (let ((bindings (car operands)))
    (evaluate (cons (cons 'lambda (cons (transform car bindings) (cdr operands)))
                    (transform cadr bindings))
              environment)))

(define (transform procedure items)
  (if (null? items)
      '()
      (cons (procedure (car items)) (transform procedure (cdr items)))))

(define special-forms
  (list (cons 'quote evaluate-quote)
        (cons 'if evaluate-if)
        (cons 'lambda evaluate-lambda)
        (cons 'define evaluate-define)
        (cons 'set! evaluate-set!)
        (cons 'begin evaluate-sequence)
        (cons 'cond evaluate-cond)
        (cons 'and evaluate-and)
        (cons 'or evaluate-or)
        (cons 'let evaluate-let)))

;; ── Procedures ──────────────────────────────────────────────────────────────────────────────────────────────────────

(define (make-procedure parameters body environment)
  (list 'compound parameters body environment))

(define (make-primitive implementation)
  (list 'primitive implementation))

(define (apply-procedure procedure arguments)
  (cond ((not (pair? procedure)) (error "not a procedure: " procedure))
        ((eq? (car procedure) 'primitive) (apply (cadr procedure) arguments))
        ((eq? (car procedure) 'compound)
         (evaluate-sequence (caddr procedure)
                            (extend (cadr procedure) arguments (cadddr procedure))))
        (else (error "not a procedure: " procedure))))

;; ── Environments ────────────────────────────────────────────────────────────────────────────────────────────────────
;; A list of frames; a frame is a list headed by the word frame, followed by (name . value) pairs.

(define (make-frame bindings)
  (cons 'frame bindings))

(define (extend parameters arguments environment)
  (cons (make-frame (pair-up parameters arguments)) environment))

(define (pair-up parameters arguments)
  (cond ((symbol? parameters) (list (cons parameters arguments)))
        ((and (null? parameters) (null? arguments)) '())
        ((null? parameters) (error "too many arguments: " arguments))
        ((null? arguments) (error "too few arguments, none for: " parameters))
        (else (cons (cons (car parameters) (car arguments))
                    (pair-up (cdr parameters) (cdr arguments))))))

(define (binding-of name environment)
  (if (null? environment)
      false
      (let ((found (assq name (cdr (car environment)))))
        (if found
            found
            (binding-of name (cdr environment))))))

(define (lookup name environment)
  (let ((binding (binding-of name environment)))
    (if binding
        (cdr binding)
        (error "unbound variable: " name))))

(define (set-variable! name value environment)
  (let ((binding (binding-of name environment)))
    (if binding
        (set-cdr! binding value)
        (error "unbound variable: " name))
    'ok))

(define (define-variable! name value environment)
  (let ((frame (car environment)))
    (let ((binding (assq name (cdr frame))))
      (if binding
          (set-cdr! binding value)
          (set-cdr! frame (cons (cons name value) (cdr frame))))
      name)))

;; ── The global environment ──────────────────────────────────────────────────────────────────────────────────────────
;; Only the evaluator knows what a procedure is to its programs, so apply is its own, not that of the Scheme below.

(define primitives
  (list (cons 'car car) (cons 'cdr cdr) (cons 'cons cons) (cons 'list list)
        (cons 'cadr cadr) (cons 'cddr cddr) (cons 'caddr caddr) (cons 'cadddr cadddr)
        (cons 'set-cdr! set-cdr!) (cons 'assq assq)
        (cons 'null? null?) (cons 'pair? pair?) (cons 'symbol? symbol?)
        (cons 'not not) (cons 'eq? eq?) (cons '= =) (cons '< <) (cons '> >)
        (cons '+ +) (cons '- -) (cons '* *)
        (cons 'display display) (cons 'newline newline) (cons 'read read) (cons 'eof-object? eof-object?)
        (cons 'error error)
        (cons 'apply (lambda (procedure arguments) (apply-procedure procedure arguments)))))

(define (make-global-environment)
  (let ((environment (list (make-frame '()))))
    (define-variable! 'true true environment)
    (define-variable! 'false false environment)
    (define-primitives! primitives environment)
    environment))

(define (define-primitives! primitives environment)
  (if (not (null? primitives))
      (let ((entry (car primitives)))
        (define-variable! (car entry) (make-primitive (cdr entry)) environment)
        (define-primitives! (cdr primitives) environment))))

;; ── The driver ──────────────────────────────────────────────────────────────────────────────────────────────────────

(define (driver-loop)
  (define environment (make-global-environment))
  (define (loop)
    (display "evaluate> ")
    (let ((expression (read)))
      (if (eof-object? expression)
          'goodbye
          (begin (print-value (evaluate expression environment))
                 (loop)))))
  (loop))

;; The environment of a compound procedure may hold the procedure itself, so it is not shown.
(define (print-value value)
  (if (and (pair? value) (eq? (car value) 'compound))
      (display (list 'compound-procedure (cadr value)))
      (display value))
  (newline))
