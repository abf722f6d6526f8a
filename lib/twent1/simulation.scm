;;; twent1/simulation.scm: many hands of TWENT1, played by a simple player
;;;
;;; (simulation n) plays n hands for $10.00 each, tells how far it is, and prints
;;; the ledger.

(define-library (twent1 simulation)
  (export simulation simulated simple-player
          make-ledger hands-dealt naturals book purse balanced? deviation)
  (import (twent1 engine) (twent1 money))
  (begin

;; The player never insures, splits aces and eights, doubles what can be doubled,
;; and stands on 17.

(define (simple-player table)
  (let ((possible (choices table))
        (cards (hand-cards (hand-in-play table))))
    (cond ((memq 'no possible) 'no)
          ((and (memq 'split possible) (member (hard-total cards) '(2 16))) 'split)
          ((memq 'double possible) 'double)
          ((< (total cards) 17) 'hit)
          (else 'stand))))


;;; The ledger

;; The purse is paid hand by hand.  The book counts how many hands have gained
;; how many half bets: ((2 . 75) (-2 . 81) ...).  Twins are two hands there.

(define-record-type ledger
  (make-ledger hands-dealt naturals book purse)
  ledger?
  (hands-dealt hands-dealt)
  (naturals naturals)
  (book book)
  (purse purse))

(define stake 40)                         ; quarters

(define (enter table ledger)
  (make-ledger (+ (hands-dealt ledger) 1)
               (+ (naturals ledger) (if (hand-natural? (car (hands table))) 1 0))
               (book-in (hands table) (dealer-cards table) (book ledger))
               (+ (purse ledger) (winnings (gain table) stake))))

(define (book-in hands dealer-cards book)
  (if (null? hands)
      book
      (book-in (cdr hands)
               dealer-cards
               (one-more (hand-gain (car hands) dealer-cards) book))))

(define (one-more gain book)
  (cond ((null? book) (list (cons gain 1)))
        ((= gain (caar book))
         (cons (cons gain (+ (cdar book) 1)) (cdr book)))
        (else (cons (car book) (one-more gain (cdr book))))))

(define (times gain ledger)
  (let ((entry (assv gain (book ledger))))
    (if entry (cdr entry) 0)))

(define (money gain ledger)
  (winnings (* gain (times gain ledger)) stake))

;; What the book says must be in the purse.

(define gains '(3 4 2 0 -2 -4))

(define (balanced? ledger)
  (= (purse ledger)
     (apply + (map (lambda (gain) (money gain ledger)) gains))))

;; By how many standard deviations there are more naturals than expected
;; (lib/README.md, D10).

(define chance-of-natural 128/2691)

(define (deviation ledger)
  (let ((n (hands-dealt ledger))
        (p chance-of-natural))
    (/ (- (naturals ledger) (* n p))
       (sqrt (* n p (- 1 p))))))


;;; Playing

;; The ledger after n hands.  Each hundredth of them is told to listen.

(define (simulated n listen)
  (define (play-on shoe ledger)
    (cond ((= (hands-dealt ledger) n) ledger)
          ((too-low? shoe) (play-on (fresh-shoe) ledger))
          (else
           (let* ((table (play (deal shoe) simple-player))
                  (next (enter table ledger)))
             (if (whole-percent? (hands-dealt next))
                 (listen next))
             (play-on (table-shoe table) next)))))
  (define (whole-percent? hands)
    (< (remainder (* 100 hands) n) 100))
  (play-on '() (make-ledger 0 0 '() 0)))

(define (simulation n)
  (if (not (and (exact-integer? n) (> n 0)))
      (error "How many hands is " n "?"))
  (report (simulated n (lambda (ledger) (show-progress ledger n)))))

;; At a terminal one line is written over and over; else there are ten of them.

(define (show-progress ledger n)
  (let ((percent (quotient (* 100 (hands-dealt ledger)) n)))
    (if (or (terminal-port?) (= (remainder percent 10) 0))
        (begin
          (if (terminal-port?) (display "\r"))
          (display (right 3 (number->string percent)))
          (display " %  purse")
          (display (right 18 (dollars (purse ledger))))
          (if (terminal-port?) (flush-output) (newline))))))

(define (report ledger)
  (define (line name gain)
    (show (string-append (left 16 name)
                         (right 10 (number (times gain ledger)))
                         (right 20 (dollars (money gain ledger))))))
  (define (sum . gains)
    (number (apply + (map (lambda (gain) (times gain ledger)) gains))))
  (fresh-line)
  (show (string-append (number (hands-dealt ledger)) " hands for " (dollars stake) ": "
                       (number (naturals ledger)) " naturals"))
  (show (string-append "With twins as two hands: " (sum 2 3 4) " wins, "
                       (sum 0) " ties, " (sum -2 -4) " losses"))
  (line "natural" 3)
  (line "won, doubled" 4)
  (line "won" 2)
  (line "tied" 0)
  (line "lost" -2)
  (line "lost, doubled" -4)
  (show (string-append (left 26 "purse") (right 20 (dollars (purse ledger)))))
  (show (if (balanced? ledger)
            "The ledger balances to the cent."
            "The ledger does not balance."))
  (show (string-append "Naturals: " (decimals 5 (/ (naturals ledger) (hands-dealt ledger)))
                       " of the hands; expected " (decimals 5 chance-of-natural)
                       "; " (decimals 2 (deviation ledger)) " standard deviations off.")))


;;; Text in columns

(define (left width text)
  (string-pad-right text (max width (string-length text))))

(define (right width text)
  (string-pad-left text (max width (string-length text))))

(define (number n)
  (let ((text (dollars (* 4 n))))         ; with its commas
    (substring text 1 (- (string-length text) 3))))

(define (decimals places x)
  (number->string (/ (round (* x (expt 10 places))) (expt 10. places))))

))
