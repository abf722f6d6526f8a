;;; black-jack.scm: the Black Jack lab, cards and hands as data
;;;
;;; A simple game for one guest and the bank. The guest draws cards as long as
;;; she wants; then the bank draws until it has 16 or more. Above 21 one is bust.
;;;
;;;   (load "chalmers/black-jack.scm")
;;;   (value (add (make-card 'ace 'spades) (add (make-card 10 'hearts) (empty))))
;;;
;;; run-game.scm plays with what is defined here, properties.scm checks it, and
;;; simulation.scm plays it many times.

(load "random-gen.scm")


;;; Cards

;; A rank is a number from 2 to 10, or jack, queen, king or ace.

(define (make-card rank suit)
  (list rank suit))

(define (rank card)
  (car card))

(define (suit card)
  (cadr card))

(define suits '(hearts spades diamonds clubs))

(define ranks '(2 3 4 5 6 7 8 9 10 jack queen king ace))


;;; Hands

;; A hand is empty, or a card on top of a hand. A deck is a hand, too.

(define (empty)
  '())

(define (add card hand)
  (cons card hand))

(define (empty-hand? hand)
  (null? hand))

(define (top hand)
  (car hand))

(define (below-top hand)
  (cdr hand))

(define (size hand)
  (if (empty-hand? hand)
      0
      (+ 1 (size (below-top hand)))))

;; Is the card one of those in the hand?

(define (belongs-to card hand)
  (cond ((empty-hand? hand) #f)
        ((equal? card (top hand)) #t)
        (else (belongs-to card (below-top hand)))))

;; (<+ a b) puts the hand a on top of the hand b.

(define (<+ a b)
  (if (empty-hand? a)
      b
      (add (top a) (<+ (below-top a) b))))

;; All the cards of a suit, and of all four suits.

(define (full-suit suit)
  (define (cards ranks)
    (if (null? ranks)
        (empty)
        (add (make-card (car ranks) suit) (cards (cdr ranks)))))
  (cards ranks))

(define (full-deck)
  (define (cards suits)
    (if (null? suits)
        (empty)
        (<+ (full-suit (car suits)) (cards (cdr suits)))))
  (cards suits))


;;; What a hand is worth

;; Aces count 11, all of them, or all of them 1 if that would be too much.

(define (value hand)
  (let ((high (value-with-aces 11 hand)))
    (if (> high 21)
        (value-with-aces 1 hand)
        high)))

(define (value-with-aces ace-value hand)
  (define (card-value card)
    (cond ((eq? (rank card) 'ace) ace-value)
          ((number? (rank card)) (rank card))
          (else 10)))
  (if (empty-hand? hand)
      0
      (+ (card-value (top hand))
         (value-with-aces ace-value (below-top hand)))))

;; Is the player with this hand bust?

(define (game-over hand)
  (> (value hand) 21))

;; The guest wins with the higher value, unless she is bust. All else is the
;; bank's: a tie, and that both are bust.

(define (winner guest-hand bank-hand)
  (cond ((game-over guest-hand) 'bank)
        ((game-over bank-hand) 'guest)
        ((> (value guest-hand) (value bank-hand)) 'guest)
        (else 'bank)))


;;; Drawing

;; The top card of the deck goes on top of the hand. The result has two parts:
;; what is left of the deck, and the hand.

(define (draw deck hand)
  (if (empty-hand? deck)
      (error "draw: The deck is empty.")
      (list (below-top deck) (add (top deck) hand))))

(define (deck-part drawn)
  (car drawn))

(define (hand-part drawn)
  (cadr drawn))

;; The hand that the bank draws from this deck.

(define (play-bank deck)
  (define (play deck hand)
    (if (< (value hand) 16)
        (let ((drawn (draw deck hand)))
          (play (deck-part drawn) (hand-part drawn)))
        hand))
  (play deck (empty)))


;;; Shuffling

;; Random cards are taken out of the hand, one by one, and put on a new deck. The
;; same gen gives the same order.

(define (shuffle gen hand)
  (define (move-cards gen hand left new-deck)
    (if (= left 0)
        new-deck
        (move-card (random-number left gen) hand left new-deck)))
  (define (move-card number-and-gen hand left new-deck)
    (let ((n (car number-and-gen))
          (gen (cadr number-and-gen)))
      (move-cards gen
                  (without-card n hand)
                  (- left 1)
                  (add (card-number n hand) new-deck))))
  (move-cards gen hand (size hand) (empty)))

;; The cards of a hand are numbered from 0, the top card.

(define (card-number n hand)
  (if (= n 0)
      (top hand)
      (card-number (- n 1) (below-top hand))))

(define (without-card n hand)
  (if (= n 0)
      (below-top hand)
      (add (top hand) (without-card (- n 1) (below-top hand)))))


;;; The package

;; What run-game needs to know of the game: eight procedures.

(define black-jack
  (list empty full-deck value game-over winner draw play-bank shuffle))
