;;; streams.scm: what SICP adds to R5RS for its streams, but for cons-stream,
;;; which every Scheme has to define in its own way

(define the-empty-stream '())
(define (stream-pair? thing) (pair? thing))
(define (stream-null? thing) (null? thing))
(define (stream-car stream) (car stream))
(define (stream-cdr stream) (force (cdr stream)))
