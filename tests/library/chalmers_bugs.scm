;;; Bugs to plant into black-jack.scm. Above each stands the property that must
;;; fail, and how many cards its smallest counterexample holds at most.
;;; minischeme: allow defined-twice unbound

;;;; on-top-associative 3: <+ turns the upper hand over
(define (<+ a b)
  (if (empty-hand? a)
      b
      (<+ (below-top a) (add (top a) b))))

;;;; on-top-order 3: <+ puts the second hand on top
(define (<+ a b)
  (if (empty-hand? b)
      a
      (add (top b) (<+ a (below-top b)))))

;;;; on-top-size 1: <+ loses the lowest card of the upper hand
(define (<+ a b)
  (cond ((empty-hand? a) b)
        ((empty-hand? (below-top a)) b)
        (else (add (top a) (<+ (below-top a) b)))))

;;;; on-top-empty 1: <+ forgets the upper hand if there is no lower one
(define (<+ a b)
  (if (empty-hand? b)
      b
      (append a b)))

;;;; on-top-size 2: <+ lays equal cards down only once
(define (<+ a b)
  (cond ((empty-hand? a) b)
        ((member (top a) b) (<+ (below-top a) b))
        (else (add (top a) (<+ (below-top a) b)))))

;;;; shuffle-same-cards 3: shuffle takes out the top card instead of the random one
(define (without-card n hand)
  (below-top hand))

;;;; shuffle-same-cards 3: shuffle never takes a card out
(define (without-card n hand)
  hand)

;;;; shuffle-size 1: shuffle forgets the last card
(define (shuffle gen hand)
  (if (empty-hand? hand)
      (empty)
      (below-top hand)))

;;;; shuffle-same-gen 3: shuffle does not use its gen
(define lab-shuffle shuffle)
(define (shuffle gen hand)
  (lab-shuffle (make-gen (random 1000)) hand))

;;;; shuffle-other-gen 0: shuffle does not look at its gen
(define lab-shuffle shuffle)
(define (shuffle gen hand)
  (lab-shuffle (make-gen 1) hand))

;;;; full-deck-once 1: the full deck has no aces
(define ranks '(2 3 4 5 6 7 8 9 10 jack queen king))

;;;; full-deck-once 1: the full deck has two kings of clubs
(define lab-full-deck full-deck)
(define (full-deck)
  (add (make-card 'king 'clubs) (lab-full-deck)))

;;;; value-of-card 1: a jack counts 11
(define lab-value value)
(define (value hand)
  (if (equal? (map rank hand) '(jack))
      11
      (lab-value hand)))

;;;; value-of-aces 1: one ace may count 11 while the others count 1
(define (value hand)
  (let ((low (value-with-aces 1 hand)))
    (if (and (> (value-with-aces 11 hand) low)
             (<= (+ low 10) 21))
        (+ low 10)
        low)))

;;;; value-of-aces 2: aces always count 11
(define (value hand)
  (value-with-aces 11 hand))

;;;; value-adds-up 2: the lowest card is not counted
(define lab-value value)
(define (value hand)
  (if (or (empty-hand? hand) (empty-hand? (below-top hand)))
      (lab-value hand)
      (lab-value (butlast hand))))

;;;; game-over 5: 21 is too much
(define (game-over hand)
  (>= (value hand) 21))

;;;; winner-tie 0: a tie is the guest's
(define (winner guest-hand bank-hand)
  (cond ((game-over guest-hand) 'bank)
        ((game-over bank-hand) 'guest)
        ((>= (value guest-hand) (value bank-hand)) 'guest)
        (else 'bank)))

;;;; winner-guest-bust 8: the guest wins if both are bust
(define (winner guest-hand bank-hand)
  (cond ((game-over bank-hand) 'guest)
        ((game-over guest-hand) 'bank)
        ((> (value guest-hand) (value bank-hand)) 'guest)
        (else 'bank)))

;;;; winner-bank-bust 3: a bust bank wins
(define (winner guest-hand bank-hand)
  (if (and (not (game-over guest-hand))
           (> (value guest-hand) (value bank-hand)))
      'guest
      'bank))

;;;; draw-moves-top 1: the card that is drawn stays in the deck
(define (draw deck hand)
  (list deck (add (top deck) hand)))

;;;; draw-moves-top 2: the lowest card of the deck is drawn
(define (draw deck hand)
  (list (butlast deck) (add (last deck) hand)))

;;;; draw-from-empty-deck 0: nothing is drawn from an empty deck, in silence
(define lab-draw draw)
(define (draw deck hand)
  (if (empty-hand? deck)
      (list deck hand)
      (lab-draw deck hand)))

;;;; bank-stops 0: the bank stops at 15
(define (play-bank deck)
  (define (play deck hand)
    (if (< (value hand) 15)
        (apply play (draw deck hand))
        hand))
  (play deck (empty)))

;;;; bank-stops 0: the bank stops at 17
(define (play-bank deck)
  (define (play deck hand)
    (if (< (value hand) 17)
        (apply play (draw deck hand))
        hand))
  (play deck (empty)))
