;;; twenty-one.scm: the game of Twenty-One, all but one procedure
;;;
;;; A card is a word, the rank in front and the suit behind: ah is the ace of
;;; hearts, 10s the ten of spades, kd the king of diamonds.
;;; A hand is a sentence of cards: (ah 10s).
;;;
;;; What is missing is yours to write:
;;;
;;;   (best-total hand)   the total of a hand, its aces counted in the best way
;;;
;;; A strategy is a procedure of two arguments, the customer's hand and the
;;; dealer's up card.  Its answer is true if the customer wants another card,
;;; and false if she stands.  With best-total and a strategy you can play:
;;;
;;;   (twenty-one strategy)   1 if the customer won, 0 for a tie, -1 if she lost

(define (twenty-one strategy)

  ;; The customer goes first.  Above 21 she has lost, and nobody asks the
  ;; strategy again; when she stands, the dealer takes the hole card.
  (define (play-customer hand up-card rest-of-deck)
    (cond ((> (best-total hand) 21) -1)
          ((strategy hand up-card)
           (play-customer (se hand (first rest-of-deck))
                          up-card
                          (bf rest-of-deck)))
          (else
           (play-dealer (se up-card (first rest-of-deck))
                        hand
                        (bf rest-of-deck)))))

  ;; The dealer has no choice: below 17 she must take a card, from 17 on she
  ;; must stand.
  (define (play-dealer dealer-hand customer-hand rest-of-deck)
    (let ((dealer-total (best-total dealer-hand)))
      (if (< dealer-total 17)
          (play-dealer (se dealer-hand (first rest-of-deck))
                       customer-hand
                       (bf rest-of-deck))
          (compare-totals (best-total customer-hand) dealer-total))))

  (define (compare-totals customer-total dealer-total)
    (cond ((> dealer-total 21) 1)
          ((> customer-total dealer-total) 1)
          ((= customer-total dealer-total) 0)
          (else -1)))

  ;; Two cards for the customer, then the dealer's up card.
  (let ((deck (make-deck)))
    (play-customer (se (item 1 deck) (item 2 deck))
                   (item 3 deck)
                   ((repeated bf 3) deck))))


;;; The deck

(define (make-deck)
  (shuffle (make-ordered-deck) 52))

(define (make-ordered-deck)
  (define (make-suit suit)
    (every (lambda (rank) (word rank suit))
           '(a 2 3 4 5 6 7 8 9 10 j q k)))
  (every make-suit '(h s d c)))

;; (shuffle deck size) gives the first SIZE cards of the deck in random order.
;; It shuffles one half of them, then the other half, and then moves the cards
;; of both, one by one, to a single pile.  A half that has more cards left is
;; more likely to give the next one, so that every card that is left has the
;; same chance, and no order of the cards is likelier than another.

(define (shuffle deck size)

  (define (move-card left left-size right right-size)
    (cond ((= left-size 0) right)
          ((= right-size 0) left)
          ((< (random (+ left-size right-size)) left-size)
           (se (first left)
               (move-card (bf left) (- left-size 1) right right-size)))
          (else
           (se (first right)
               (move-card left left-size (bf right) (- right-size 1))))))

  (define (shuffle-halves left-size right-size)
    (move-card (shuffle deck left-size)
               left-size
               (shuffle ((repeated bf left-size) deck) right-size)
               right-size))

  (cond ((= size 0) '())
        ((= size 1) (se (first deck)))
        (else (shuffle-halves (quotient size 2)
                              (- size (quotient size 2))))))
