;;; quickcheck.scm: does it hold for all arguments? Try a hundred of them
;;;
;;; A property is a procedure that is true for all arguments that you can think
;;; of. check-property tries it with arguments that nobody has thought of, and
;;; if it fails, looks for the smallest arguments that make it fail:
;;;
;;;   (load "quickcheck.scm")
;;;   (define (ends-meet a b) (equal? (first (se a b)) (first a)))
;;;   (check-property 'ends-meet ends-meet sentences sentences)
;;;
;;; After the name and the property comes a generator for each argument:
;;;
;;;   booleans integers words sentences   what the names say
;;;   (integers-between low high)         both ends included
;;;   (element-of list)                   one of these values
;;;   (lists-of generator)                also with the least and the most length
;;;   (one-of generator ...)              a value of one of these generators
;;;   (such-that predicate generator)     those values that pass the predicate
;;;   (mapped procedure generator ...)    what the procedure makes of the values
;;;   (sized procedure)                   a value of the generator that the
;;;                                       procedure returns for a size, 0 to 10
;;;   (recursive leaves larger)           leaves, and what larger, a procedure,
;;;                                       makes of a generator of smaller values
;;;
;;; (sample generator) shows some values. At the end of check-property may stand
;;; 'trials and how many there are to be, and 'seed and the seed of an earlier
;;; search, to repeat it. The value is #t if the property held each time. If it
;;; is #f, (counterexample) is the list of the arguments that were shown.
;;;
;;; In a property (implies condition conclusion) leaves out the arguments that do
;;; not meet a condition; (collect label value) and
;;; (classify condition label value) are the value, and count the labels for the
;;; report.
;;;
;;; The search is done by the Python package hypothesis, which has to be installed.
;;;
;;; All this is a library: what you define, a reverse that is wrong, say, is
;;; yours alone, and checked with a reverse that is right.

(define-library (quickcheck)

  (export check-property counterexample sample
          booleans integers words sentences integers-between element-of lists-of
          one-of such-that mapped sized recursive
          implies collect classify)

  (import (scheme base) (minischeme))

  (begin


;;; Generators

(define integers-between generator-of-integers)
(define element-of generator-of-elements)
(define one-of generator-choice)
(define such-that generator-filter)
(define mapped generator-map)

(define booleans (element-of '(#f #t)))

(define integers (integers-between -1000000 1000000))

;; The lists of a generator's values. As a rule none is longer than 20.
(define (lists-of generator . lengths)
  (cond ((null? lengths) (generator-of-lists generator 0 20))
        ((null? (cdr lengths))
         (generator-of-lists generator (car lengths) (+ (car lengths) 20)))
        (else (generator-of-lists generator (car lengths) (cadr lengths)))))

(define letters
  (element-of '(a b c d e f g h i j k l m n o p q r s t u v w x y z)))

(define words
  (one-of (mapped (lambda (letters) (apply word letters)) (lists-of letters 1 8))
          (integers-between 0 1000)))

(define sentences (lists-of words))

;; A value of the generator that the procedure returns for a size from 0 to 10.
(define (sized procedure)
  (generator-bind (integers-between 0 10) procedure))

;; Values that are up to four levels deep: leaves, and what larger makes of a
;; generator of smaller ones.
(define (recursive leaves larger)
  (define (of-depth depth)
    (if (= depth 0)
        leaves
        (one-of leaves (larger (of-depth (- depth 1))))))
  (of-depth 4))

;; A list of five values of a generator, or of as many as you like.
(define (sample generator . how-many)
  (define found '())
  (define (keep value)
    (set! found (cons value found))
    #t)
  (find-counterexample keep
                       (if (null? how-many) 5 (car how-many))
                       (random 1000000)
                       generator)
  (reverse found))


;;; In properties

;; Leaves out the arguments that do not meet a condition: a property says so by
;; returning the symbol discard.
(define-syntax implies
  (syntax-rules ()
    ((implies condition conclusion)
     (if condition conclusion 'discard))))

;; The labels of the trial that is going on, and those of all trials before it.

(define labels '())
(define all-labels '())

;; Counts a label for the report, and returns the value.
(define (collect label value)
  (if (not (member label labels))
      (set! labels (cons label labels)))
  value)

;; Counts a label for the report if the condition is true, and returns the value.
(define (classify condition label value)
  (if condition
      (collect label value)
      value))


;;; Checking

;; Tries a property, prints what came of it, and returns whether it held each time.
(define (check-property name property . generators-and-options)

  (define generators (generators-of generators-and-options))
  (define options (options-of generators-and-options))
  (define trials (option 'trials options 100))
  (define seed (option 'seed options (+ 1 (random 999999))))
  (define problem #f)                   ; what the last trial's error said

  ;; An error in a property makes it fail.
  (define (result-of arguments)
    (set! problem #f)
    (guard (condition
            (#t (set! problem (text-of condition))
                #f))
      (apply property arguments)))

  (define (result-with-labels . arguments)
    (set! labels '())
    (let ((result (result-of arguments)))
      (if (not (eq? result 'discard))
          (set! all-labels (append labels all-labels)))
      result))

  (check-options options)
  (check-fit property generators)
  (set! all-labels '())
  (let ((result (apply find-counterexample result-with-labels trials seed generators)))
    (report name property result problem seed)))

;; The list of the arguments with which the last property failed.
(define (counterexample)
  last-counterexample)

(define last-counterexample '())

;; A symbol ends the generators and begins the options.

(define (generators-of arguments)
  (if (or (null? arguments) (symbol? (car arguments)))
      '()
      (cons (car arguments) (generators-of (cdr arguments)))))

(define (options-of arguments)
  (if (or (null? arguments) (symbol? (car arguments)))
      arguments
      (options-of (cdr arguments))))

(define (option name options default)
  (cond ((or (null? options) (null? (cdr options))) default)
        ((eq? (car options) name) (cadr options))
        (else (option name (cddr options) default))))

(define (check-options options)
  (define (positive? value)
    (and (exact-integer? value) (> value 0)))
  (cond ((null? options) 'fine)
        ((not (memq (car options) '(trials seed)))
         (error "check-property: no such option: ~s (there are trials and seed)"
                (car options)))
        ((or (null? (cdr options)) (not (positive? (cadr options))))
         (error "check-property: ~s needs a positive integer behind it"
                (car options)))
        (else (check-options (cddr options)))))

(define (check-fit property generators)

  (define (check-generators generators)
    (cond ((null? generators) 'fine)
          ((generator? (car generators)) (check-generators (cdr generators)))
          (else (error "check-property: not a generator: ~s" (car generators)))))

  (define (fit? parameters generators)
    (cond ((null? parameters) (null? generators))
          ((symbol? parameters) #t)
          ((null? generators) #f)
          (else (fit? (cdr parameters) (cdr generators)))))

  (if (not (procedure? property))
      (error "check-property: not a procedure: ~s" property))
  (check-generators generators)
  (if (or (null? generators)
          (not (fit? (procedure-parameters property) generators)))
      (error "check-property: each argument of the property needs a generator: ~s"
             (procedure-parameters property))))


;;; Reporting

;; Prints what came of a search, and returns whether the property held.
(define (report name property result problem seed)

  (define (part name)
    (cdr (assq name result)))

  (define trials
    (format "~a trial~a" (part 'trials) (if (= (part 'trials) 1) "" "s")))

  (define (print-success what)
    (show (string-append what trials "."))
    (print-labels (part 'trials))
    #t)

  (define (print-failure what)
    (set! last-counterexample (map cdr (part 'counterexample)))
    (show (format "~a ~a. The smallest counterexample found:" what trials))
    (print-arguments (procedure-parameters property) (part 'counterexample))
    (if problem
        (show (string-append "  error: " problem)))
    (show (format "  To repeat the search, add 'seed ~a" seed))
    #f)

  (define (print-surrender)
    (show (format "gave up after ~a, having left out ~a." trials (part 'discarded)))
    #f)

  (display name)
  (display ": ")
  (case (part 'outcome)
    ((passed) (print-success "OK, passed "))
    ((exhausted) (print-success "OK, passed all possible "))
    ((falsified) (print-failure "falsified after"))
    ((unsteady) (print-failure "falsified, but not each time, after"))
    (else (print-surrender))))

(define (text-of condition)
  (if (error-object? condition)
      (condition/report-string condition)
      (format "uncaught exception: ~s" condition)))

;; An argument is a pair of its text and its value. A rest parameter, behind a
;; dot, stands for the list of all arguments that are left.

(define (print-arguments parameters arguments)
  (cond ((pair? parameters)
         (show (format "  ~a = ~a" (car parameters) (caar arguments)))
         (print-arguments (cdr parameters) (cdr arguments)))
        ((symbol? parameters)
         (show (format "  ~a = ~a" parameters (map car arguments))))))

;; The labels with their shares of the trials, the most frequent one first.

(define (print-labels trials)

  (define (times label labels)
    (cond ((null? labels) 0)
          ((equal? label (car labels)) (+ 1 (times label (cdr labels))))
          (else (times label (cdr labels)))))

  (define (different labels)
    (cond ((null? labels) '())
          ((member (car labels) (cdr labels)) (different (cdr labels)))
          (else (cons (car labels) (different (cdr labels))))))

  (for-each (lambda (count-and-label)
              (display (align (/ (* 100 (car count-and-label)) trials) 7 1))
              (display " % ")
              (show (cdr count-and-label)))
            (sort (map (lambda (label) (cons (times label all-labels) label))
                       (different all-labels))
                  (lambda (one other) (> (car one) (car other))))))

  ))

(import (quickcheck))
