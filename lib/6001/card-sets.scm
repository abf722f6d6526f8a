;;; card-sets.scm: any number of cards, one below the other
;;;
;;; A card set is a list of cards, the top one in front.  Everybody else keeps
;;; to the procedures of this file, up to the line.

(define the-empty-card-set '())

(define (empty-card-set? cards) (null? cards))

(define (add-card card cards) (cons card cards))

(define (first-card cards) (car cards))

(define (other-cards cards) (cdr cards))

;;; ------------------------------------------------------------------------

(define (card-count cards)
  (if (empty-card-set? cards)
      0
      (+ 1 (card-count (other-cards cards)))))

(define (card-set-total cards)
  (if (empty-card-set? cards)
      0
      (+ (card-value (first-card cards))
         (card-set-total (other-cards cards)))))

;; The first n cards, and those below them.

(define (top-cards n cards)
  (if (= n 0)
      the-empty-card-set
      (add-card (first-card cards)
                (top-cards (- n 1) (other-cards cards)))))

(define (cards-below n cards)
  (if (= n 0)
      cards
      (cards-below (- n 1) (other-cards cards))))

(define (put-on-top upper lower)
  (if (empty-card-set? upper)
      lower
      (add-card (first-card upper)
                (put-on-top (other-cards upper) lower))))
