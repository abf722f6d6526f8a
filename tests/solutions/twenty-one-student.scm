;;; Twenty-One: a solution to questions 1 to 8, as a student of the course would write it.

(load "~cs61a/lib/twenty-one.scm")

(define (rank card) (bl card))

(define (suit card) (last card))

;; Question 1: aces count 1 at first; one of them may then count 10 more.

(define (best-total hand)
  (define (value card)
    (cond ((equal? (rank card) 'a) 1)
          ((number? (rank card)) (rank card))
          (else 10)))
  (define (ace? card) (equal? (rank card) 'a))
  (define (improve total)
    (if (and (<= total 11) (not (empty? (keep ace? hand))))
        (+ total 10)
        total))
  (improve (accumulate + (every value hand))))

;; Question 2

(define (stop-at-17 customer-hand dealer-up-card)
  (< (best-total customer-hand) 17))

;; Question 3

(define (play-n strategy n)
  (if (= n 0)
      0
      (+ (twenty-one strategy) (play-n strategy (- n 1)))))

;; Question 4

(define (dealer-sensitive customer-hand dealer-up-card)
  (if (member (rank dealer-up-card) '(a 7 8 9 10 j q k))
      (< (best-total customer-hand) 17)
      (< (best-total customer-hand) 12)))

;; Question 5: my own.  An ace that counts 11 can't hurt, so go up to 18 with it.

(define (my-strategy customer-hand dealer-up-card)
  (define (ace-as-1 card)
    (if (equal? (rank card) 'a) (word 1 (suit card)) card))
  (define (soft? hand)
    (not (= (best-total hand) (best-total (every ace-as-1 hand)))))
  (define (limit up-rank)
    (cond ((member up-rank '(2 3)) 13)
          ((member up-rank '(4 5 6)) 12)
          (else 17)))
  (if (soft? customer-hand)
      (< (best-total customer-hand) 18)
      (< (best-total customer-hand) (limit (rank dealer-up-card)))))

;; Question 6

(define (stop-at n)
  (lambda (customer-hand dealer-up-card)
    (< (best-total customer-hand) n)))

;; Question 7: booleans are no numbers, so count the ones that say yes.

(define (majority strategy-1 strategy-2 strategy-3)
  (lambda (customer-hand dealer-up-card)
    (define (vote strategy)
      (if (strategy customer-hand dealer-up-card) 1 0))
    (>= (+ (vote strategy-1) (vote strategy-2) (vote strategy-3)) 2)))

;; Question 8

(define (reckless strategy)
  (lambda (customer-hand dealer-up-card)
    (strategy (bl customer-hand) dealer-up-card)))

;; From other years

(define (suit-strategy wanted-suit strategy-without strategy-with)
  (define (wanted? card) (equal? (suit card) wanted-suit))
  (lambda (customer-hand dealer-up-card)
    ((if (empty? (keep wanted? customer-hand)) strategy-without strategy-with)
     customer-hand
     dealer-up-card)))

(define valentine
  (suit-strategy 'h (stop-at 17) (stop-at 19)))

(define (test-strategies strategy-1 strategy-2 n)
  (se (play-n strategy-1 n) (play-n strategy-2 n)))
