;;; A library in a file, for program-structure.scm.

(define-library (sample greeting)
  (export greet greetings! included-in-library)
  (import (scheme base) (sample text))
  (include "included.scm")
  (begin
    (define count 0)
    (define (greetings!) (set! count (+ count 1)) count)
    (define (greet name) (join "Hello, " name "!"))))
