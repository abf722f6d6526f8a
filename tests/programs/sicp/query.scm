;;; The query system (SICP 4.4): facts, rules, and questions about what follows from them.
;;;
;;; A variable is written ?name. (ask-about '(likes ?who tea)) gives the list of all instances of the question that hold.
;;; A bundle of bindings is called a frame: an association list. Every question maps a stream of frames, those that hold
;;; so far, to the stream of those in which it holds as well.

;; ── Variables ───────────────────────────────────────────────────────────────────────────────────────────────────────
;; Inside the system, ?x is the list (? x), and the ?x of one use of a rule is (? x 7): each use has a number of its own.

(define (internal form)
  (map-symbols (lambda (symbol)
                 (let ((text (symbol->string symbol)))
                   (if (and (> (string-length text) 1) (char=? (string-ref text 0) #\?))
                       (list '? (string->symbol (substring text 1 (string-length text))))
                       symbol)))
               form))

(define (map-symbols change form)
  (cond ((symbol? form) (change form))
        ((pair? form) (cons (map-symbols change (car form)) (map-symbols change (cdr form))))
        (else form)))

(define (variable? form)
  (and (pair? form) (eq? (car form) '?)))

(define (external variable)
  (string->symbol (string-append "?" (symbol->string (cadr variable)))))

(define (rename-variables form number)
  (cond ((variable? form) (list '? (cadr form) number))
        ((pair? form) (cons (rename-variables (car form) number) (rename-variables (cdr form) number)))
        (else form)))

;; ── Frames and unification ──────────────────────────────────────────────────────────────────────────────────────────

(define (binding-in frame variable)
  (assoc variable frame))

(define (bind variable value frame)
  (cons (cons variable value) frame))

;; The frame in which both patterns are the same, or failed.
(define (unify left right frame)
  (cond ((eq? frame 'failed) 'failed)
        ((equal? left right) frame)
        ((variable? left) (unify-variable left right frame))
        ((variable? right) (unify-variable right left frame))
        ((and (pair? left) (pair? right))
         (unify (cdr left) (cdr right) (unify (car left) (car right) frame)))
        (else 'failed)))

(define (unify-variable variable value frame)
  (let ((binding (binding-in frame variable)))
    (cond (binding (unify (cdr binding) value frame))
          ((and (variable? value) (binding-in frame value))
           (unify variable (cdr (binding-in frame value)) frame))
          ((depends-on? value variable frame) 'failed)
          (else (bind variable value frame)))))

;; Whether the variable occurs in the form: x = (a x) has no solution that could be written down.
(define (depends-on? form variable frame)
  (cond ((variable? form)
         (or (equal? form variable)
             (let ((binding (binding-in frame form)))
               (and binding (depends-on? (cdr binding) variable frame)))))
        ((pair? form)
         (or (depends-on? (car form) variable frame)
             (depends-on? (cdr form) variable frame)))
        (else false)))

;; A form with its variables replaced by what they are bound to; unbound does the rest.
(define (instantiate-form form frame unbound)
  (cond ((variable? form)
         (let ((binding (binding-in frame form)))
           (if binding
               (instantiate-form (cdr binding) frame unbound)
               (unbound form))))
        ((pair? form)
         (cons (instantiate-form (car form) frame unbound)
               (instantiate-form (cdr form) frame unbound)))
        (else form)))

;; ── The data base ───────────────────────────────────────────────────────────────────────────────────────────────────

(define facts '())
(define rules '())

(define (forget-everything!)
  (set! facts '())
  (set! rules '()))

(define (assert-all! . assertions)
  (for-each assert-one! assertions)
  'told)

(define (assert-one! assertion)
  (if (eq? (car assertion) 'rule)
      (set! rules (append rules (list (internal assertion))))
      (set! facts (append facts (list assertion)))))

(define (conclusion rule)
  (cadr rule))

(define (rule-body rule)
  (if (null? (cddr rule)) '(always-true) (caddr rule)))

;; ── Questions ───────────────────────────────────────────────────────────────────────────────────────────────────────

(define (solve question frames)
  (let ((solver (assq (car question) solvers)))
    (if solver
        ((cdr solver) (cdr question) frames)
        (solve-simple question frames))))

(define (solve-simple pattern frames)
  (stream-flatmap
   (lambda (frame)
     (stream-append-delayed
      (frames-from-facts pattern frame)
      (delay (frames-from-rules pattern frame))))
   frames))

(define (frames-from-facts pattern frame)
  (stream-filter (lambda (frame) (not (eq? frame 'failed)))
                 (stream-map (lambda (fact) (unify pattern fact frame))
                             (list->stream facts))))

(define (frames-from-rules pattern frame)
  (stream-flatmap (lambda (rule) (apply-rule rule pattern frame))
                  (list->stream rules)))

(define number-of-uses 0)

(define (apply-rule rule pattern frame)
  (set! number-of-uses (+ number-of-uses 1))
  (let ((fresh (rename-variables rule number-of-uses)))
    (let ((extended (unify pattern (conclusion fresh) frame)))
      (if (eq? extended 'failed)
          the-empty-stream
          (solve (rule-body fresh) (list->stream (list extended)))))))

(define (solve-and questions frames)
  (if (null? questions)
      frames
      (solve-and (cdr questions) (solve (car questions) frames))))

(define (solve-or questions frames)
  (if (null? questions)
      the-empty-stream
      (interleave-delayed (solve (car questions) frames)
                          (delay (solve-or (cdr questions) frames)))))

;; Keeps the frames in which the question has no answer. Its variables should be bound by then.
(define (solve-not operands frames)
  (stream-filter (lambda (frame)
                   (stream-null? (solve (car operands) (list->stream (list frame)))))
                 frames))

;; (lisp-value predicate argument ...) keeps the frames in which a Scheme predicate is true of the arguments.
(define (solve-lisp-value call frames)
  (stream-filter (lambda (frame)
                   (eval (quoted-call (instantiate-form call frame unbound-in-call))
                         user-initial-environment))
                 frames))

(define (quoted-call call)
  (cons (car call) (map (lambda (argument) (list 'quote argument)) (cdr call))))

(define (unbound-in-call variable)
  (error "lisp-value: no value for " (external variable)))

(define (solve-always-true operands frames)
  frames)

(define solvers
  (list (cons 'and solve-and)
        (cons 'or solve-or)
        (cons 'not solve-not)
        (cons 'lisp-value solve-lisp-value)
        (cons 'always-true solve-always-true)))

;; ── Streams ─────────────────────────────────────────────────────────────────────────────────────────────────────────
;; Rules may give endless streams of answers, so the second of two streams is a promise.

(define (stream-append-delayed stream promise)
  (if (stream-null? stream)
      (force promise)
      (cons-stream (stream-car stream)
                   (stream-append-delayed (stream-cdr stream) promise))))

(define (interleave-delayed stream promise)
  (if (stream-null? stream)
      (force promise)
      (cons-stream (stream-car stream)
                   (interleave-delayed (force promise) (delay (stream-cdr stream))))))

(define (stream-flatmap procedure stream)
  (if (stream-null? stream)
      the-empty-stream
      (interleave-delayed (procedure (stream-car stream))
                          (delay (stream-flatmap procedure (stream-cdr stream))))))

;; ── Asking ──────────────────────────────────────────────────────────────────────────────────────────────────────────

(define (answers question)
  (let ((pattern (internal question)))
    (stream-map (lambda (frame) (instantiate-form pattern frame external))
                (solve pattern (list->stream (list '()))))))

(define (ask-about question)
  (stream->list (answers question)))

(define (query-driver-loop)
  (display "query> ")
  (let ((input (read)))
    (cond ((eof-object? input) 'goodbye)
          ((eq? (car input) 'assert!)
           (assert-one! (cadr input))
           (query-driver-loop))
          (else
           (stream-for-each (lambda (answer) (display answer) (newline))
                            (answers input))
           (query-driver-loop)))))
