;;; finite-deck.scm: tutorial exercise 2 (d), the game with a deck that ends
;;;
;;; The deck is an argument of whoever may take cards, and what is left of it
;;; is a part of the value.  When a card is wanted and there is none, the game
;;; is over and the player has won.

;; What play-hand-from gives: the hand when its turn is over, and the deck that
;; is left.  No hand is done if the deck ran out.

(define (make-turn hand deck) (cons hand deck))

(define (turn-hand turn) (car turn))

(define (turn-deck turn) (cdr turn))

(define the-turn-without-cards (make-turn #f the-empty-card-set))

(define (ran-out? turn) (not (turn-hand turn)))

;; What twenty-one-from gives: 1 or 0, as twenty-one does, and the deck that is
;; left for the next game.

(define (make-outcome result deck) (cons result deck))

(define (outcome-result outcome) (car outcome))

(define (outcome-deck outcome) (cdr outcome))

(define the-outcome-without-cards (make-outcome 1 the-empty-card-set))

;;; The game

(define (twenty-one-from deck player-strategy house-strategy)
  (if (< (card-count deck) 2)
      the-outcome-without-cards
      (play-both player-strategy
                 (make-new-hand (first-card (other-cards deck)))
                 house-strategy
                 (make-new-hand (first-card deck))
                 (cards-below 2 deck))))

(define (play-both player-strategy player-hand house-strategy house-hand deck)
  (let ((player-turn (play-hand-from deck
                                     player-strategy
                                     player-hand
                                     (hand-up-card house-hand))))
    (cond ((ran-out? player-turn) the-outcome-without-cards)
          ((bust? (turn-hand player-turn))
           (make-outcome 0 (turn-deck player-turn)))
          (else
           (outcome-of-turns player-turn
                             (play-hand-from (turn-deck player-turn)
                                             house-strategy
                                             house-hand
                                             (hand-up-card player-hand)))))))

(define (outcome-of-turns player-turn house-turn)
  (if (ran-out? house-turn)
      the-outcome-without-cards
      (make-outcome (game-result (turn-hand player-turn) (turn-hand house-turn))
                    (turn-deck house-turn))))

(define (play-hand-from deck strategy hand opponent-up-card)
  (cond ((bust? hand) (make-turn hand deck))
        ((not (strategy hand (card-value opponent-up-card)))
         (make-turn hand deck))
        ((empty-card-set? deck) the-turn-without-cards)
        (else
         (play-hand-from (other-cards deck)
                         strategy
                         (hand-add-card hand (first-card deck))
                         opponent-up-card))))

;; Game after game until the deck is used up: the games won, out of how many.

(define (play-through deck player-strategy house-strategy)
  (define (play deck wins games)
    (if (empty-card-set? deck)
        (list wins 'of games)
        (let ((outcome (twenty-one-from deck player-strategy house-strategy)))
          (play (outcome-deck outcome)
                (+ wins (outcome-result outcome))
                (+ games 1)))))
  (play deck 0 0))
