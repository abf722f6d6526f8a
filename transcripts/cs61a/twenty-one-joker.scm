;;; twenty-one-joker.scm: CS61A project 1 with two jokers, questions 1 to 9
;;;
;;; A complete copy of the game.  Question 9 changes best-total, the deck and its
;;; size, and nothing else.

;; Question 1, changed by question 9: count aces and jokers as 1 each, then see
;; how much they could add.  An ace may add 10; a joker adds anything up to 10,
;; so a hand that holds one can reach any total up to its highest.

(define (best-total hand)
  (define (ace? card) (equal? (bl card) 'a))
  (define (joker? card) (equal? card 'joker))
  (define (value card)
    (cond ((or (ace? card) (joker? card)) 1)
          ((number? (bl card)) (bl card))
          (else 10)))
  (define (add-aces total aces)
    (if (or (empty? aces) (> (+ total 10) 21))
        total
        (add-aces (+ total 10) (bf aces))))
  (define (add-jokers total jokers)
    (cond ((empty? jokers) total)
          ((> total 11) (max total 21))
          (else (add-jokers (+ total 10) (bf jokers)))))
  (add-jokers (add-aces (accumulate + (every value hand))
                        (keep ace? hand))
              (keep joker? hand)))

;; Questions 2 to 8: nothing in them knows of jokers.

(define (stop-at-17 customer-hand dealer-up-card)
  (< (best-total customer-hand) 17))

(define (play-n strategy n)
  (if (= n 0)
      0
      (+ (twenty-one strategy) (play-n strategy (- n 1)))))

(define (dealer-sensitive customer-hand dealer-up-card)
  (define (bad-for-dealer? up-card)
    (member? (first up-card) '(2 3 4 5 6)))
  (< (best-total customer-hand)
     (if (bad-for-dealer? dealer-up-card) 12 17)))

(define (my-strategy customer-hand dealer-up-card)
  (define (safe? hand)
    (<= (best-total (se hand '10h)) 21))
  (define (limit up-rank)
    (cond ((member? up-rank '(2 3)) 13)
          ((member? up-rank '(4 5 6)) 12)
          (else 17)))
  (< (best-total customer-hand)
     (if (safe? customer-hand) 18 (limit (bl dealer-up-card)))))

(define (stop-at n)
  (lambda (customer-hand dealer-up-card)
    (< (best-total customer-hand) n)))

(define (majority strategy-1 strategy-2 strategy-3)
  (lambda (customer-hand dealer-up-card)
    (let ((one (strategy-1 customer-hand dealer-up-card))
          (two (strategy-2 customer-hand dealer-up-card))
          (three (strategy-3 customer-hand dealer-up-card)))
      (or (and one two) (and one three) (and two three)))))

(define (reckless strategy)
  (lambda (customer-hand dealer-up-card)
    (strategy (bl customer-hand) dealer-up-card)))

;; The game

(define (twenty-one strategy)
  (define (play-customer hand up-card rest-of-deck)
    (cond ((> (best-total hand) 21) -1)
          ((strategy hand up-card)
           (play-customer (se hand (first rest-of-deck)) up-card (bf rest-of-deck)))
          (else
           (play-dealer (se up-card (first rest-of-deck))
                        hand
                        (bf rest-of-deck)))))
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
  (let ((deck (make-deck)))
    (play-customer (se (item 1 deck) (item 2 deck))
                   (item 3 deck)
                   ((repeated bf 3) deck))))

(define (make-deck)
  (shuffle (make-ordered-deck) 54))

(define (make-ordered-deck)
  (define (make-suit suit)
    (every (lambda (rank) (word rank suit))
           '(a 2 3 4 5 6 7 8 9 10 j q k)))
  (se (every make-suit '(h s d c)) 'joker 'joker))

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
