;;; words.scm: words and sentences for a Scheme that has none, in R5RS
;;;
;;; What a course hands out to those who use another Scheme at home. A word is
;;; a symbol, a number or a string; a sentence is a list of words. Only for the
;;; benchmarks: nothing here complains about what is neither.


;;; Words are texts

(define (text-of wd)
  (cond ((symbol? wd) (symbol->string wd))
        ((number? wd) (number->string wd))
        (else wd)))

(define (digits? text)
  (define (all? letters)
    (or (null? letters)
        (and (char-numeric? (car letters)) (all? (cdr letters)))))
  (and (> (string-length text) 0) (all? (string->list text))))

(define (word-of text)
  (cond ((digits? text) (string->number text))
        ((= (string-length text) 0) text)
        (else (string->symbol text))))

(define (word? thing)
  (or (symbol? thing) (number? thing) (string? thing)))

(define (word . parts)
  (word-of (apply string-append (map text-of parts))))


;;; Words and sentences

(define (empty? thing)
  (or (null? thing) (and (string? thing) (= (string-length thing) 0))))

(define (first thing)
  (if (pair? thing)
      (car thing)
      (word-of (substring (text-of thing) 0 1))))

(define (butfirst thing)
  (if (pair? thing)
      (cdr thing)
      (let ((text (text-of thing)))
        (word-of (substring text 1 (string-length text))))))

(define (last thing)
  (if (pair? thing)
      (car (reverse thing))
      (let ((text (text-of thing)))
        (word-of (substring text (- (string-length text) 1) (string-length text))))))

(define (butlast thing)
  (if (pair? thing)
      (reverse (cdr (reverse thing)))
      (let ((text (text-of thing)))
        (word-of (substring text 0 (- (string-length text) 1))))))

(define bf butfirst)
(define bl butlast)

(define (item place thing)
  (if (= place 1)
      (first thing)
      (item (- place 1) (butfirst thing))))

(define (member? wd sent)
  (if (member wd sent) #t #f))


;;; Sentences

(define (list-of thing)
  (if (word? thing) (list thing) thing))

(define (sentence . things)
  (apply append (map list-of things)))

(define se sentence)


;;; Procedures that take procedures

(define (every change sent)
  (if (null? sent)
      '()
      (append (list-of (change (car sent))) (every change (cdr sent)))))

(define (keep wanted? sent)
  (cond ((null? sent) '())
        ((wanted? (car sent)) (cons (car sent) (keep wanted? (cdr sent))))
        (else (keep wanted? (cdr sent)))))

(define (accumulate combine sent)
  (cond ((null? sent) (combine))
        ((null? (cdr sent)) (car sent))
        (else (combine (car sent) (accumulate combine (cdr sent))))))

(define (repeated change times)
  (lambda (thing)
    (if (= times 0)
        thing
        ((repeated change (- times 1)) (change thing)))))

(define (count thing)
  (if (or (pair? thing) (null? thing))
      (length thing)
      (string-length (text-of thing))))
