;;; odds.scm: the probability that the player wins, without playing
;;;
;;;   (load "6001/twenty-one.scm")
;;;   (load "6001/odds.scm")
;;;   (exact-odds louis (stop-at 16))
;;;   (test-with-odds louis (stop-at 16) 1000)   plays, too, and prints both
;;;
;;; The deck never ends, so a strategy that sees a total sees all that matters.
;;; It is asked about each total that it may reach, with each up card of its own
;;; and of the other side.

(define (exact-odds player-strategy house-strategy)

  (define (win-with player-up house-up)
    (chance-of-more (final-totals player-strategy player-up house-up)
                    (final-totals house-strategy house-up player-up)))

  (average (lambda (player-up)
             (average (lambda (house-up) (win-with player-up house-up))))))

;; Prints the games won by test-strategy, and the exact mean of that number with its
;; standard deviation.

(define (test-with-odds player-strategy house-strategy n)
  (let* ((wins (test-strategy player-strategy house-strategy n))
         (chance (exact-odds player-strategy house-strategy))
         (deviation (sqrt (* n chance (- 1 chance)))))
    (princ wins)
    (princ " games won of ")
    (princ n)
    (princ ";")
    (princ (align (* n chance) 8 1))
    (princ " on average, give or take")
    (princ (align deviation 6 1))
    (newline)))

;; The mean of what a procedure gives for the cards 1 to 10.

(define (average procedure)
  (define (sum card)
    (if (> card 10)
        0
        (+ (procedure card) (sum (+ card 1)))))
  (/ (sum 1) 10.))

;; How likely a side is to end with each total: a vector in which 22 stands for
;; all above 21.  A total, once all smaller ones are done with, is either final,
;; or passed on to the ten that the next card can make of it.

(define (final-totals strategy up opponent-up)
  (let ((chances (make-vector 23 0.)))

    (define (add! total chance)
      (let ((place (min total 22)))
        (vector-set! chances place (+ (vector-ref chances place) chance))))

    (define (pass-on! total chance card)
      (if (<= card 10)
          (begin (add! (+ total card) (/ chance 10))
                 (pass-on! total chance (+ card 1)))))

    (define (go-on! total)
      (if (<= total 21)
          (let ((chance (vector-ref chances total)))
            (if (and (> chance 0)
                     (steady-answer strategy (hand-with up total) opponent-up))
                (begin (vector-set! chances total 0.)
                       (pass-on! total chance 1)))
            (go-on! (+ total 1)))))

    (add! up 1.)
    (go-on! up)
    chances))

;; A hand that began with a card and has come to a total.

(define (hand-with up total)
  (define (fill hand missing)
    (if (= missing 0)
        hand
        (let ((rank (min missing 10)))
          (fill (hand-add-card hand (make-card rank 'spades)) (- missing rank)))))
  (fill (make-new-hand (make-card up 'hearts)) (- total up)))

;; The answer of a strategy, which must be the same if it is asked again.

(define (steady-answer strategy hand opponent-up)
  (let ((answer (if (strategy hand opponent-up) #t #f)))
    (if (eq? answer (if (strategy hand opponent-up) #t #f))
        answer
        (error "exact-odds: the strategy gives two answers to one question"))))

;; The chance that the first total is not above 21, and that the second is above
;; 21 or smaller.

(define (chance-of-more mine other)
  (define (sum total smaller)
    (if (> total 21)
        0.
        (+ (* (vector-ref mine total) (+ smaller (vector-ref other 22)))
           (sum (+ total 1) (+ smaller (vector-ref other total))))))
  (sum 1 0.))
