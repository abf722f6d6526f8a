;;; twent1/engine.scm: the rules of TWENT1, and nothing that is seen or typed
;;;
;;; A card is a word: ah is the ace of hearts, 10s the ten of spades.  A shoe is
;;; a list of cards, the one on top first.
;;;
;;; The state of a hand is a table.  (deal shoe) makes the first one.  A table
;;; asks a question, and (answer table word) is the table after an answer:
;;;
;;;   (question table)       insurance, play, or over when the hand has ended
;;;   (choices table)        the answers it takes: (yes no) or (hit stand ...)
;;;   (gain table)           what the hand has won, in half bets
;;;
;;; A player is a procedure that gives the answer for a table, and
;;; (play table player) is the table at the end.  Nothing here is ever changed,
;;; so that a table can be kept, and gone back to.

(define-library (twent1 engine)
  (export ordered-pack fresh-shoe shuffled too-low?
          hard-total soft? total bust?
          deal answer play question choices playing? table-shoe
          dealer-cards up-card hands hand-in-play insured? dealer-natural?
          hand-cards hand-bets hand-natural? hand-gain insurance-gain gain)
  (begin

;;; Cards

(define (card-value card)                 ; an ace is 1 here
  (let ((rank (bl card)))
    (case rank
      ((a) 1)
      ((j q k) 10)
      (else rank))))

(define (ace? card)
  (eq? (bl card) 'a))

(define (aces? cards)                     ; is there any?
  (cond ((null? cards) #f)
        ((ace? (car cards)) #t)
        (else (aces? (cdr cards)))))

;; The total with all aces as 1.

(define (hard-total cards)
  (if (null? cards)
      0
      (+ (card-value (car cards)) (hard-total (cdr cards)))))

;; One of the aces is 11 where that is not too much; the hand is soft then.

(define (total cards)
  (let ((hard (hard-total cards)))
    (if (and (<= hard 11) (aces? cards))
        (+ hard 10)
        hard)))

(define (soft? cards)
  (> (total cards) (hard-total cards)))

(define (bust? cards)
  (> (hard-total cards) 21))


;;; The shoe: four packs (lib/README.md, D1)

(define ordered-pack
  '(ah 2h 3h 4h 5h 6h 7h 8h 9h 10h jh qh kh
    as 2s 3s 4s 5s 6s 7s 8s 9s 10s js qs ks
    ad 2d 3d 4d 5d 6d 7d 8d 9d 10d jd qd kd
    ac 2c 3c 4c 5c 6c 7c 8c 9c 10c jc qc kc))

(define four-packs
  (append ordered-pack ordered-pack ordered-pack ordered-pack))

(define (fresh-shoe)
  (shuffled four-packs))

;; Each card in turn, from the last one on, changes places with one of those
;; before it, or stays where it is.

(define (shuffled cards)
  (let ((deck (list->vector cards)))
    (define (exchange! i j)
      (let ((card (vector-ref deck i)))
        (vector-set! deck i (vector-ref deck j))
        (vector-set! deck j card)))
    (define (mix! left)
      (if (> left 1)
          (begin (exchange! (random left) (- left 1))
                 (mix! (- left 1)))))
    (mix! (vector-length deck))
    (vector->list deck)))

;; Fewer than 30 cards: they are not dealt from any more.

(define (too-low? shoe)
  (fewer? shoe 30))

(define (fewer? cards n)
  (cond ((= n 0) #f)
        ((null? cards) #t)
        (else (fewer? (cdr cards) (- n 1)))))


;;; Hands of the player

;; The cards of a hand stand in the order in which they were dealt.  A hand is
;; worth one bet, or two once it is doubled.  Twins come from a split.

(define-record-type hand
  (make-hand cards bets twin?)
  hand?
  (cards hand-cards)
  (bets hand-bets)
  (twin? hand-twin?))

(define (add-card hand card)
  (make-hand (append (hand-cards hand) (list card))
             (hand-bets hand)
             (hand-twin? hand)))

(define (double hand)
  (make-hand (hand-cards hand) 2 (hand-twin? hand)))

(define (two-cards? hand)
  (fewer? (hand-cards hand) 3))

;; An ace and a ten (lib/README.md, D4).

(define (natural? cards)
  (and (= (total cards) 21)
       (fewer? cards 3)))

(define (hand-natural? hand)
  (and (not (hand-twin? hand))
       (natural? (hand-cards hand))))

(define (hand-bust? hand)
  (bust? (hand-cards hand)))

(define (equal-values? cards)
  (and (fewer? cards 3)
       (= (card-value (car cards)) (card-value (cadr cards)))))


;;; Tables

;; The first card of the dealer is the one that lies face up, the second one
;; the hole card.  The player's hands are the one in play, if there is one,
;; those that wait, and those that are done.

(define-record-type table
  (make-table question shoe dealer-cards hand-in-play waiting done insured?)
  table?
  (question question)
  (shoe table-shoe)
  (dealer-cards dealer-cards)
  (hand-in-play hand-in-play)
  (waiting waiting)
  (done done)
  (insured? insured?))

(define (up-card table)
  (car (dealer-cards table)))

(define (hands table)
  (append (done table)
          (if (hand-in-play table) (list (hand-in-play table)) '())
          (waiting table)))

(define (playing? table)
  (not (eq? (question table) 'over)))

(define (dealer-natural? table)
  (natural? (dealer-cards table)))

(define (over table)
  (make-table 'over (table-shoe table) (dealer-cards table)
              #f '() (hands table) (insured? table)))

;; The table with another hand in play, and another shoe.

(define (with-hand table hand shoe)
  (make-table 'play shoe (dealer-cards table)
              hand (waiting table) (done table) (insured? table)))


;;; The course of a hand

;; Two cards for the player, then the dealer's up card and hole card
;; (lib/README.md, D2).

(define (deal shoe)
  (let ((table (make-table 'insurance
                           (list-tail shoe 4)
                           (list (caddr shoe) (cadddr shoe))
                           (make-hand (list (car shoe) (cadr shoe)) 1 #f)
                           '() '() #f)))
    (if (ace? (up-card table))
        table
        (look-at-hole-card table))))

;; A natural ends the hand at once; else the player has the turn.

(define (look-at-hole-card table)
  (let ((hand (hand-in-play table)))
    (if (or (hand-natural? hand) (dealer-natural? table))
        (over table)
        (with-hand table hand (table-shoe table)))))

(define (choices table)
  (case (question table)
    ((insurance) '(yes no))
    ((play) (also 'hit (can-hit? table)
                  (also 'stand #t
                        (also 'double (can-double? table)
                              (also 'split (can-split? table) '())))))
    (else '())))

(define (also word possible? words)
  (if possible? (cons word words) words))

;; Thirty cards have always been enough.  Should they ever not be, then player
;; and dealer stand.

(define (can-hit? table)
  (not (null? (table-shoe table))))

;; A hard 10 or 11 (lib/README.md, D7).

(define (can-double? table)
  (let ((hand (hand-in-play table)))
    (and (can-hit? table)
         (two-cards? hand)
         (member (hard-total (hand-cards hand)) '(10 11))
         (not (aces? (hand-cards hand))))))

;; A pair that does not itself come from a split (lib/README.md, D6).

(define (can-split? table)
  (let ((hand (hand-in-play table)))
    (and (equal-values? (hand-cards hand))
         (not (hand-twin? hand))
         (not (fewer? (table-shoe table) 2)))))

(define (answer table word)
  (if (not (memq word (choices table)))
      (error "This is no answer to the question: " word))
  (case word
    ((yes) (look-at-hole-card (insure table)))
    ((no) (look-at-hole-card table))
    ((stand) (next-hand table))
    ((hit) (hit table))
    ((double) (next-hand (draw (with-hand table
                                          (double (hand-in-play table))
                                          (table-shoe table)))))
    ((split) (split table))))

(define (play table player)
  (if (playing? table)
      (play (answer table (player table)) player)
      table))

(define (insure table)
  (make-table 'insurance (table-shoe table) (dealer-cards table)
              (hand-in-play table) '() '() #t))

;; One more card for the hand in play.

(define (draw table)
  (let ((shoe (table-shoe table)))
    (with-hand table (add-card (hand-in-play table) (car shoe)) (cdr shoe))))

(define (hit table)
  (let ((next (draw table)))
    (if (hand-bust? (hand-in-play next))
        (next-hand next)
        next)))

;; Each twin gets a card.  Split aces get no other one.

(define (split table)
  (let* ((cards (hand-cards (hand-in-play table)))
         (shoe (table-shoe table))
         (first-twin (make-hand (list (car cards) (car shoe)) 1 #t))
         (second-twin (make-hand (list (cadr cards) (cadr shoe)) 1 #t))
         (next (make-table 'play (cddr shoe) (dealer-cards table)
                           first-twin (list second-twin) '() (insured? table))))
    (if (ace? (car cards))
        (next-hand (next-hand next))
        next)))

;; The hand in play is done: go on with the other twin, or with the dealer.

(define (next-hand table)
  (let ((played (append (done table) (list (hand-in-play table)))))
    (if (null? (waiting table))
        (dealer-plays (make-table 'over (table-shoe table) (dealer-cards table)
                                  #f '() played (insured? table)))
        (make-table 'play (table-shoe table) (dealer-cards table)
                    (car (waiting table)) (cdr (waiting table))
                    played (insured? table)))))

;; The dealer draws below 17, unless no hand is left to be beaten
;; (lib/README.md, D5).

(define (dealer-plays table)
  (let ((cards (dealer-cards table))
        (shoe (table-shoe table)))
    (if (or (>= (total cards) 17)
            (null? shoe)
            (every-hand-bust? (done table)))
        table
        (dealer-plays (make-table 'over (cdr shoe) (append cards (list (car shoe)))
                                  #f '() (done table) (insured? table))))))

(define (every-hand-bust? hands)
  (or (null? hands)
      (and (hand-bust? (car hands))
           (every-hand-bust? (cdr hands)))))


;;; What is won and lost, in half bets: a natural wins three of them
;;; (lib/README.md, D4)

(define (hand-gain hand dealer-cards)
  (let ((player-natural? (hand-natural? hand))
        (dealer-natural? (natural? dealer-cards))
        (stake (* 2 (hand-bets hand))))
    (cond ((and player-natural? dealer-natural?) 0)
          (player-natural? 3)
          (dealer-natural? (- stake))
          ((hand-bust? hand) (- stake))
          ((bust? dealer-cards) stake)
          (else (* stake (compare (total (hand-cards hand))
                                  (total dealer-cards)))))))

(define (compare a b)
  (cond ((> a b) 1)
        ((= a b) 0)
        (else -1)))

;; Half a bet on a natural of the dealer, at 2 to 1 (lib/README.md, D8).

(define (insurance-gain table)
  (cond ((not (insured? table)) 0)
        ((dealer-natural? table) 2)
        (else -1)))

(define (gain table)
  (define (sum-of-gains hands)
    (if (null? hands)
        0
        (+ (hand-gain (car hands) (dealer-cards table))
           (sum-of-gains (cdr hands)))))
  (+ (insurance-gain table)
     (sum-of-gains (hands table))))

))
