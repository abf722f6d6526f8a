;;; random-gen.scm: random numbers from a generator that is passed on
;;;
;;; A generator (a gen, since property checking has generators of another kind)
;;; is a value, and using it does not change it. So the same gen gives the same
;;; numbers each time, and who wants new numbers goes on with the next gen:
;;;
;;;   (make-gen seed)                   a gen, for any integer
;;;   (random-number n gen)             a list of two: a number from 0 to n-1, and
;;;                                     the next gen
;;;   (random-number lower upper gen)   the same, with a number from lower to upper
;;;   (split-gen gen)                   a list of two gens that go different ways

;; A gen is an integer below 2 to the 64th, and the next one is always the same
;; distance away. That is no good as a random number, but mixed it is one. This
;; method is known as splitmix64; the three factors are its own.

(define gen-limit (expt 2 64))

(define (next-gen gen)
  (modulo (+ gen 11400714819323198485) gen-limit))

;; Each bit of a gen changes about half of the bits of the mixed one: a product
;; carries it to the left, and xor with the shifted bits brings it to the right.

(define (mixed gen)
  (define (fold bits shift)
    (bitwise-xor bits (shift-right bits shift)))
  (define (times factor bits)
    (modulo (* factor bits) gen-limit))
  (fold (times 10723151780598845931
               (fold (times 13787848793156543929 (fold gen 30))
                     27))
        31))

;; Neighbours among the seeds must have nothing to do with each other.

(define (make-gen seed)
  (mixed (modulo seed gen-limit)))

(define random-number
  (case-lambda
    ((n gen) (random-number 0 (- n 1) gen))
    ((lower upper gen)
     (if (> lower upper)
         (error "random-number: There is no number from " lower " to " upper "."))
     (let ((next (next-gen gen)))
       (list (+ lower
                (quotient (* (+ (- upper lower) 1) (mixed next)) gen-limit))
             next)))))

(define (split-gen gen)
  (let ((next (next-gen gen)))
    (list next (make-gen (mixed next)))))
