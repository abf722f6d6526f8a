;;; hands.scm: cards and hands for people who only want to know the total
;;;
;;; A card is nothing but its value, and a hand is the pair of its first card,
;;; which lies face up, and its total.  cards.scm has other cards and hands
;;; with the same procedures.

;;; Cards

(define (make-card rank suit) (rank-value rank))

(define (card-value card) card)

;; The next card of a deck that never ends: each value is as likely as another.

(define (deal)
  (+ 1 (random 10)))

;;; Hands

(define (make-hand up-card total)
  (cons up-card total))

(define (hand-up-card hand) (car hand))

(define (hand-total hand) (cdr hand))

(define (make-new-hand first-card)
  (make-hand first-card (card-value first-card)))

(define (hand-add-card hand card)
  (make-hand (hand-up-card hand)
             (+ (hand-total hand) (card-value card))))
