;;; evaluator.scm: an evaluator for a small Scheme, written in Scheme
;;;
;;; (evaluate expression environment) knows numbers, names, quote, if, lambda,
;;; define at the top, and calls. An environment is a list of frames, innermost
;;; first; a frame is a list whose car is a list of (name . value), so that a
;;; definition can add to it.


;;; Environments

(define (new-frame names values)
  (list (map cons names values)))

(define (lookup name environment)
  (let ((binding (assq name (car (car environment)))))
    (if binding
        (cdr binding)
        (lookup name (cdr environment)))))

(define (define-name! name value environment)
  (let ((frame (car environment)))
    (set-car! frame (cons (cons name value) (car frame)))
    name))


;;; Procedures of the language are lists that begin with the word closure

(define (make-closure parameters body environment)
  (list 'closure parameters body environment))

(define (closure? thing)
  (and (pair? thing) (eq? (car thing) 'closure)))

(define (call procedure arguments)
  (if (closure? procedure)
      (let ((environment (cons (new-frame (cadr procedure) arguments)
                               (cadddr procedure))))
        (evaluate (caddr procedure) environment))
      (apply procedure arguments)))


;;; Evaluation

(define (evaluate expression environment)
  (cond ((symbol? expression) (lookup expression environment))
        ((not (pair? expression)) expression)
        ((eq? (car expression) 'quote) (cadr expression))
        ((eq? (car expression) 'if) (evaluate-if expression environment))
        ((eq? (car expression) 'lambda)
         (make-closure (cadr expression) (caddr expression) environment))
        ((eq? (car expression) 'define)
         (define-name! (cadr expression)
                       (evaluate (caddr expression) environment)
                       environment))
        (else
         (call (evaluate (car expression) environment)
               (evaluate-all (cdr expression) environment)))))

(define (evaluate-if expression environment)
  (if (evaluate (cadr expression) environment)
      (evaluate (caddr expression) environment)
      (evaluate (cadddr expression) environment)))

(define (evaluate-all expressions environment)
  (if (null? expressions)
      '()
      (cons (evaluate (car expressions) environment)
            (evaluate-all (cdr expressions) environment))))


;;; The program that it runs

(define fib-definition
  '(define fib
     (lambda (n)
       (if (< n 2)
           n
           (+ (fib (- n 1)) (fib (- n 2)))))))

(define (evaluated-fib n)
  (let ((top (list (new-frame '(+ - <) (list + - <)))))
    (evaluate fib-definition top)
    (evaluate (list 'fib n) top)))
