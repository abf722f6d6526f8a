;;; twenty-one.scm: CS61A project 1, questions 1 to 8
;;;
;;; A complete copy of the game: load it and play, (twenty-one stop-at-17).
;;; The tests with their explanations are in testing.txt; question 9 is in
;;; twenty-one-joker.scm.


;;; The questions

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

;; Question 5: my own.  A hand that a ten can't ruin, since an ace in it may still
;; count 1, goes up to 18.  The others stop early when the dealer looks weak.

(define (my-strategy customer-hand dealer-up-card)
  (define (safe? hand)
    (<= (best-total (se hand '10h)) 21))
  (define (limit up-rank)
    (cond ((member? up-rank '(2 3)) 13)
          ((member? up-rank '(4 5 6)) 12)
          (else 17)))
  (< (best-total customer-hand)
     (if (safe? customer-hand) 18 (limit (rank dealer-up-card)))))

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


;;; The game, as it was given to us

(define (twenty-one strategy)

  ;; The customer goes first.  Above 21 she has lost, and nobody asks the
  ;; strategy again; when she stands, the dealer takes the hole card.
  (define (play-customer hand up-card rest-of-deck)
    (cond ((> (best-total hand) 21) -1)
          ((strategy hand up-card)
           (play-customer (se hand (first rest-of-deck))
                          up-card
                          (bf rest-of-deck)))
          (else
           (play-dealer (se up-card (first rest-of-deck))
                        hand
                        (bf rest-of-deck)))))

  ;; The dealer has no choice: below 17 she must take a card, from 17 on she
  ;; must stand.
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

  ;; Two cards for the customer, then the dealer's up card.
  (let ((deck (make-deck)))
    (play-customer (se (item 1 deck) (item 2 deck))
                   (item 3 deck)
                   ((repeated bf 3) deck))))


;;; The deck

(define (make-deck)
  (shuffle (make-ordered-deck) 52))

(define (make-ordered-deck)
  (define (make-suit suit)
    (every (lambda (rank) (word rank suit))
           '(a 2 3 4 5 6 7 8 9 10 j q k)))
  (every make-suit '(h s d c)))

;; (shuffle deck size) gives the first SIZE cards of the deck in random order.
;; It shuffles one half of them, then the other half, and then moves the cards
;; of both, one by one, to a single pile.  A half that has more cards left is
;; more likely to give the next one, so that every card that is left has the
;; same chance, and no order of the cards is likelier than another.

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
