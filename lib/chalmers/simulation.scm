;;; simulation.scm: what is it worth to stop at 17? Play many games and see
;;;
;;;   (load "chalmers/black-jack.scm")
;;;   (load "chalmers/simulation.scm")
;;;
;;;   (guest-wins 17 1000 (make-gen 1))   how many of 1000 games a guest wins who
;;;                                       stops at 17 or more
;;;   (bank-values 1000 (make-gen 1))     how often each value was the bank's
;;;                                       last one, if it draws from a full deck

;; Each game has a gen of its own, and the rest of the games another one. sum-up
;; is given the shuffled deck of a game, and the result of the games before it.

(define (play-games n gen sum-up result)
  (if (= n 0)
      result
      (let ((gens (split-gen gen)))
        (play-games (- n 1)
                    (car gens)
                    sum-up
                    (sum-up (shuffle (cadr gens) (full-deck)) result)))))

(define (guest-wins limit n gen)
  (define (play-guest deck hand)
    (if (< (value hand) limit)
        (apply play-guest (draw deck hand))
        (winner hand (play-bank deck))))
  (define (count-win deck wins)
    (if (eq? (play-guest deck (empty)) 'guest)
        (+ wins 1)
        wins))
  (play-games n gen count-win 0))

;; The result is a list of pairs of a value and how often it occurred.

(define (bank-values n gen)
  (define (count-value value counts)
    (cond ((null? counts) (list (cons value 1)))
          ((= value (caar counts))
           (cons (cons value (+ 1 (cdar counts))) (cdr counts)))
          (else (cons (car counts) (count-value value (cdr counts))))))
  (define (count-bank deck counts)
    (count-value (value (play-bank deck)) counts))
  (sort (play-games n gen count-bank '())
        (lambda (one other) (< (car one) (car other)))))
