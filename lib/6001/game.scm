;;; game.scm: one game of Twenty-one
;;;
;;; A strategy is a procedure of a hand and the other side's up card, of which
;;; it is told the value.  Its answer is true if the hand shall have another card.

;; (twenty-one player-strategy house-strategy) gives 1 if the player wins and
;; 0 if the house does.  Each side begins with one card, face up.  The player
;; goes first and loses at once above 21; a tie is the house's.

(define (twenty-one player-strategy house-strategy)
  (let ((house-hand (make-new-hand (deal)))
        (player-hand (make-new-hand (deal))))
    (play-house house-strategy
                house-hand
                (play-hand player-strategy
                           player-hand
                           (hand-up-card house-hand)))))

(define (play-house strategy house-hand player-hand)
  (if (bust? player-hand)
      0
      (game-result player-hand
                   (play-hand strategy
                              house-hand
                              (hand-up-card player-hand)))))

(define (game-result player-hand house-hand)
  (cond ((bust? house-hand) 1)
        ((> (hand-total player-hand) (hand-total house-hand)) 1)
        (else 0)))

(define (bust? hand)
  (> (hand-total hand) 21))

;; The hand when its strategy wants no more, or when it is bust.

(define (play-hand strategy hand opponent-up-card)
  (cond ((bust? hand) hand)
        ((strategy hand (card-value opponent-up-card))
         (play-hand strategy
                    (hand-add-card hand (deal))
                    opponent-up-card))
        (else hand)))


;;; The strategy that asks a person

(define (hit? hand opponent-up-card)
  (newline)
  (princ "Opponent up card ")
  (princ (card-value opponent-up-card))
  (newline)
  (princ "Your Total: ")
  (princ (hand-total hand))
  (newline)
  (princ "Hit? ")
  (user-says-y?))

;; Only y is a yes.  Whatever else is typed, and the end of the input, is a no.

(define (user-says-y?)
  (equal? (read-from-keyboard) 'y))

;; Each answer is a line.  This is the first word of it, or () if there is none.

(define (read-from-keyboard)
  (let ((line (read-line)))
    (if (pair? line)
        (car line)
        line)))

(define (princ object)
  (display object))
