;;; decks.scm: tutorial exercise 2 (a) to (c), decks of cards and two shuffles
;;;
;;; A deck is a card set.

;;; (a) 40 cards, 1 to 10 and each of them four times, and 52 with faces

(define (make-deck)
  (make-deck-of number-ranks suits))

(define (make-deck-with-faces)
  (make-deck-of all-ranks suits))

(define (make-deck-of ranks suits)
  (if (null? ranks)
      the-empty-card-set
      (put-on-top (make-cards (car ranks) suits)
                  (make-deck-of (cdr ranks) suits))))

(define (make-cards rank suits)
  (if (null? suits)
      the-empty-card-set
      (add-card (make-card rank (car suits))
                (make-cards rank (cdr suits)))))

;;; (b) The perfect shuffle: cut the deck in halves and take a card from each
;;; in turn.  If their number is odd, the upper half has one more.

(define (shuffle deck)
  (call-with-halves interleave-cards deck))

(define (call-with-halves procedure deck)
  (let ((half (quotient (+ (card-count deck) 1) 2)))
    (procedure (top-cards half deck)
               (cards-below half deck))))

(define (interleave-cards one other)
  (if (empty-card-set? one)
      other
      (add-card (first-card one)
                (interleave-cards other (other-cards one)))))

;;; (c) The shuffle of real hands: 1 to 5 cards from each half in turn, as far
;;; as there are so many.

(define (random-shuffle deck)
  (call-with-halves interleave-packets deck))

(define (interleave-packets one other)
  (if (empty-card-set? one)
      other
      (let ((size (min (+ 1 (random 5)) (card-count one))))
        (put-on-top (top-cards size one)
                    (interleave-packets other (cards-below size one))))))
