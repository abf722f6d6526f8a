;;; strategies.scm: strategies, strategies made of others, and how good they are

;; Hits as long as the total is below n.

(define (stop-at n)
  (lambda (hand opponent-up-card)
    (< (hand-total hand) n)))

;; The number of games that the player wins out of n.

(define (test-strategy player-strategy house-strategy n)
  (define (play games-left wins)
    (if (<= games-left 0)
        wins
        (play (- games-left 1)
              (+ wins (twenty-one player-strategy house-strategy)))))
  (play n 0))

;; Decides as the strategy does, and prints what it was asked and what it said.

(define (watch-player strategy)
  (lambda (hand opponent-up-card)
    (let ((decision (strategy hand opponent-up-card)))
      (newline)
      (princ "With ")
      (princ (hand-total hand))
      (princ ", up card ")
      (princ (card-value (hand-up-card hand)))
      (princ ", against ")
      (princ (card-value opponent-up-card))
      (princ (if decision ": hit" ": stay"))
      decision)))

;; What Louis does.  From 12 to 16 it depends on the other side's up card.

(define (louis hand opponent-up-card)
  (let ((total (hand-total hand))
        (up (card-value opponent-up-card)))
    (cond ((< total 12) #t)
          ((> total 16) #f)
          ((= total 12) (< up 4))
          ((= total 16) (not (= up 10)))
          (else (> up 6)))))

;; Hits if both strategies would.

(define (both strategy-1 strategy-2)
  (lambda (hand opponent-up-card)
    (and (strategy-1 hand opponent-up-card)
         (strategy-2 hand opponent-up-card))))
