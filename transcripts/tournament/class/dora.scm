;;; dora.scm: brave with hearts

(load "twenty-one.scm")

(define (best-total hand)
  (define (total aces-high sum)
    (if (and (> aces-high 0) (> sum 21))
        (total (- aces-high 1) (- sum 10))
        sum))
  (define (value card)
    (cond ((equal? (bl card) 'a) 11)
          ((number? (bl card)) (bl card))
          (else 10)))
  (total (count (keep (lambda (card) (equal? (bl card) 'a)) hand))
         (accumulate + (every value hand))))

(define (my-strategy hand up-card)
  (< (best-total hand)
     (if (member? 'h (every last hand)) 19 16)))
