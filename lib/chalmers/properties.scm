;;; properties.scm: what is true of Black Jack, whatever the cards
;;;
;;;   (load "chalmers/black-jack.scm")
;;;   (load "chalmers/properties.scm")
;;;   (check-properties)                       all of them, or faster
;;;   (check-properties 'trials 20)
;;;   (check-property 'associative prop-on-top-associative hands hands hands)
;;;
;;; Change black-jack.scm, or load your own instead, and see which ones fail.

(load "quickcheck.scm")


;;; What is tried

(define cards
  (mapped make-card (element-of ranks) (element-of suits)))

(define plain-cards
  (such-that (lambda (card) (not (eq? (rank card) 'ace))) cards))

(define (pile-up cards)
  (if (null? cards)
      (empty)
      (add (car cards) (pile-up (cdr cards)))))

(define hands (mapped pile-up (lists-of cards)))

;; Most large hands are bust, so who wins is tried with small ones.

(define small-hands (mapped pile-up (lists-of cards 0 4)))

(define hands-without-aces (mapped pile-up (lists-of plain-cards)))

(define gens (mapped make-gen integers))


;;; One hand on top of another

(define (prop-on-top-associative a b c)
  (equal? (<+ a (<+ b c))
          (<+ (<+ a b) c)))

(define (prop-on-top-size a b)
  (= (size (<+ a b))
     (+ (size a) (size b))))

(define (prop-on-top-order card a b)
  (equal? (<+ (add card a) b)
          (add card (<+ a b))))

(define (prop-on-top-empty a)
  (and (equal? (<+ (empty) a) a)
       (equal? (<+ a (empty)) a)))


;;; The full deck

(define (times-in-hand card hand)
  (cond ((empty-hand? hand) 0)
        ((equal? card (top hand)) (+ 1 (times-in-hand card (below-top hand))))
        (else (times-in-hand card (below-top hand)))))

(define (prop-full-deck-once card)
  (and (= (times-in-hand card (full-deck)) 1)
       (= (size (full-deck)) 52)))


;;; Values

(define (prop-value-of-card card)
  (= (value (add card (empty)))
     (cond ((number? (rank card)) (rank card))
           ((eq? (rank card) 'ace) 11)
           (else 10))))

(define (prop-value-adds-up a b)
  (= (value (<+ a b))
     (+ (value a) (value b))))

(define (prop-value-of-aces n suit hand)
  (define (add-aces n)
    (if (= n 0)
        hand
        (add (make-card 'ace suit) (add-aces (- n 1)))))
  (let ((high (+ (value hand) (* n 11))))
    (= (value (add-aces n))
       (if (> high 21) (+ (value hand) n) high))))

(define (prop-game-over hand)
  (classify (game-over hand) 'bust
    (eq? (game-over hand) (> (value hand) 21))))


;;; Who wins

(define (prop-winner-tie hand)
  (eq? (winner hand hand) 'bank))

(define (prop-winner-guest-bust guest-hand bank-hand)
  (implies (game-over guest-hand)
    (eq? (winner guest-hand bank-hand) 'bank)))

(define (prop-winner-bank-bust guest-hand bank-hand)
  (implies (and (game-over bank-hand) (not (game-over guest-hand)))
    (eq? (winner guest-hand bank-hand) 'guest)))

(define (prop-winner-higher guest-hand bank-hand)
  (implies (not (or (game-over guest-hand) (game-over bank-hand)))
    (collect (winner guest-hand bank-hand)
      (eq? (winner guest-hand bank-hand)
           (if (> (value guest-hand) (value bank-hand)) 'guest 'bank)))))


;;; Drawing

(define (prop-draw-moves-top card deck hand)
  (equal? (draw (add card deck) hand)
          (list deck (add card hand))))

(define (prop-draw-from-empty-deck hand)
  (guard (problem
          (#t (equal? (error-object-message problem) "draw: The deck is empty.")))
    (draw (empty) hand)
    #f))

(define (prop-bank-stops gen)
  (let ((hand (play-bank (shuffle gen (full-deck)))))
    (collect (value hand)
      (and (>= (value hand) 16)
           (< (value (below-top hand)) 16)))))


;;; Shuffling

(define (same-cards? hand other-hand)
  (define (same-times? cards)
    (or (empty-hand? cards)
        (and (= (times-in-hand (top cards) hand)
                (times-in-hand (top cards) other-hand))
             (same-times? (below-top cards)))))
  (and (same-times? hand) (same-times? other-hand)))

(define (prop-shuffle-same-cards gen hand)
  (same-cards? hand (shuffle gen hand)))

(define (prop-shuffle-size gen hand)
  (= (size (shuffle gen hand)) (size hand)))

(define (prop-shuffle-same-gen gen hand)
  (equal? (shuffle gen hand) (shuffle gen hand)))

;; Two gens hardly ever give the same order of 52 cards.

(define (prop-shuffle-other-gen gen)
  (not (equal? (shuffle gen (full-deck))
               (shuffle (next-gen gen) (full-deck)))))


;;; All of them

(define properties
  (list
   (list 'on-top-associative prop-on-top-associative hands hands hands)
   (list 'on-top-size prop-on-top-size hands hands)
   (list 'on-top-order prop-on-top-order cards hands hands)
   (list 'on-top-empty prop-on-top-empty hands)
   (list 'full-deck-once prop-full-deck-once cards)
   (list 'value-of-card prop-value-of-card cards)
   (list 'value-adds-up prop-value-adds-up hands-without-aces hands-without-aces)
   (list 'value-of-aces prop-value-of-aces
         (integers-between 1 4) (element-of suits) hands-without-aces)
   (list 'game-over prop-game-over small-hands)
   (list 'winner-tie prop-winner-tie small-hands)
   (list 'winner-guest-bust prop-winner-guest-bust small-hands small-hands)
   (list 'winner-bank-bust prop-winner-bank-bust small-hands small-hands)
   (list 'winner-higher prop-winner-higher small-hands small-hands)
   (list 'draw-moves-top prop-draw-moves-top cards hands hands)
   (list 'draw-from-empty-deck prop-draw-from-empty-deck hands)
   (list 'bank-stops prop-bank-stops gens)
   (list 'shuffle-same-cards prop-shuffle-same-cards gens hands)
   (list 'shuffle-size prop-shuffle-size gens hands)
   (list 'shuffle-same-gen prop-shuffle-same-gen gens hands)
   (list 'shuffle-other-gen prop-shuffle-other-gen gens)))

;; Checks all of them, and returns whether all held. Options such as 'trials 20 are
;; those of check-property.
(define (check-properties . options)
  (define (check properties all-held?)
    (if (null? properties)
        all-held?
        (let ((held? (apply check-property (append (car properties) options))))
          (check (cdr properties) (and all-held? held?)))))
  (check properties #t))
