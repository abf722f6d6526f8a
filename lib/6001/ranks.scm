;;; ranks.scm: what there is on playing cards
;;;
;;; A rank is a number from 1, the ace, to 10, or one of the faces j, q and k.

(define number-ranks '(1 2 3 4 5 6 7 8 9 10))

(define all-ranks '(1 2 3 4 5 6 7 8 9 10 j q k))

(define suits '(hearts spades diamonds clubs))

;; In this game an ace counts 1 and a face 10.

(define (rank-value rank)
  (if (number? rank) rank 10))
