;;; random-gen.scm: random numbers from a generator that is passed on
;;;
;;; A generator (a gen, since property checking has generators of another kind)
;;; is a value, and using it does not change it. So the same gen gives the same
;;; numbers each time, and who wants new numbers goes on with the next gen:
;;;
;;;   (make-gen seed)           a gen, for any integer
;;;   (random-number n gen)     a list of two: a number from 0 to n-1, the next gen
;;;   (split-gen gen)           a list of two gens that go different ways

;; A gen is an integer below 2 to the 64th.

(define gen-limit (expt 2 64))

(define (next-gen gen)
  (modulo (+ (* 6364136223846793005 gen) 1442695040888963407)
          gen-limit))

;; Neighbours among the seeds must not begin alike, so the first gens are skipped.

(define (make-gen seed)
  (next-gen (next-gen (next-gen seed))))

;; The high digits of a gen are better mixed than the low ones.

(define (random-number n gen)
  (list (quotient (* n gen) gen-limit)
        (next-gen gen)))

(define (split-gen gen)
  (list (next-gen gen)
        (make-gen (quotient gen 1000))))
