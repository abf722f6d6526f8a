;;; cards.scm: tutorial exercise 1, cards with suits and hands that keep them
;;;
;;; A card is the pair of its rank and its suit, and a hand is the pair of its
;;; up card and the set of all its cards.  The procedures are those of
;;; hands.scm, so the game and the strategies go on as before.

(load "ranks.scm")
(load "card-sets.scm")

;;; Cards

(define (make-card rank suit) (cons rank suit))

(define (card-rank card) (car card))

(define (card-suit card) (cdr card))

;; A number is its own value, as it is in hands.scm: strategies are told no more
;; of the other side's card.

(define (card-value card)
  (if (number? card)
      card
      (rank-value (card-rank card))))

(define (deal)
  (make-card (+ 1 (random 10))
             (list-ref suits (random (length suits)))))

;;; Hands

(define (make-hand up-card cards)
  (cons up-card cards))

(define (hand-up-card hand) (car hand))

(define (hand-cards hand) (cdr hand))

(define (hand-total hand)
  (card-set-total (hand-cards hand)))

(define (make-new-hand first-card)
  (make-hand first-card (add-card first-card the-empty-card-set)))

(define (hand-add-card hand card)
  (make-hand (hand-up-card hand)
             (add-card card (hand-cards hand))))
