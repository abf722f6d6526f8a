;;; A student's file, which the tests beside it load.

(define (sq x) (* x x))

(define (sum-of-squares numbers)
  (accumulate + (map sq numbers)))

(define (ask)
  (display "A number? ")
  (let ((number (read)))
    (se number 'squared 'is (sq number))))
