;;; random.scm: random numbers for a Scheme that has none, in R5RS
;;;
;;; A linear congruential generator. Its numbers are small, so that no Scheme
;;; needs more than a machine word for them.

(define random-state 21)

(define (random limit)
  (set! random-state (modulo (+ (* random-state 4093) 18257) 65536))
  (quotient (* random-state limit) 65536))

(define (set-random-seed! seed)
  (set! random-state seed))
