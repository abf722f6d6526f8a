;;; twent1/money.scm: amounts, as exact numbers of quarter dollars
;;;
;;; Half of the smallest step of a bet is a quarter, so nothing is ever rounded.

(define-library (twent1 money)
  (export quarters dollars
          smallest-bet bet? bet-rule purse? purse-rule winnings)
  (begin

;;; Amounts that are written: (dollars 51) is $12.75

(define (dollars amount)
  (string-append (if (< amount 0) "-$" "$")
                 (with-commas (number->string (quotient (abs amount) 4)))
                 (list-ref '(".00" ".25" ".50" ".75")
                           (remainder (abs amount) 4))))

(define (with-commas digits)
  (let ((size (string-length digits)))
    (if (<= size 3)
        digits
        (string-append (with-commas (substring digits 0 (- size 3)))
                       ","
                       (substring digits (- size 3) size)))))


;;; Amounts that are read: (quarters "$12.75") is 51, (quarters "ten") is #f

(define (quarters text)
  (let ((signs (plain (string->list text))))
    (if (and (pair? signs) (char=? (car signs) #\-))
        (negative (amount-of (cdr signs)))
        (amount-of signs))))

;; Blanks, the dollar sign and the comma before thousands say nothing.

(define (plain signs)
  (cond ((null? signs) '())
        ((or (memv (car signs) '(#\space #\tab #\$))
             (and (char=? (car signs) #\,) (three-digits? (cdr signs))))
         (plain (cdr signs)))
        (else (cons (car signs) (plain (cdr signs))))))

(define (three-digits? signs)
  (= (length (digits-before-point signs)) 3))

(define (negative amount)
  (and amount (- amount)))

(define (amount-of signs)
  (let ((whole (digits-before-point signs))
        (part (assoc (list->string (from-point signs))
                     '(("" 0) ("." 0) (".0" 0) (".00" 0) (".25" 1)
                       (".5" 2) (".50" 2) (".75" 3)))))
    (and part
         (or (pair? whole) (> (cadr part) 0))
         (+ (* 4 (string->number (list->string (cons #\0 whole))))
            (cadr part)))))

(define (digits-before-point signs)
  (if (and (pair? signs) (digit? (car signs)))
      (cons (car signs) (digits-before-point (cdr signs)))
      '()))

(define (from-point signs)
  (if (and (pair? signs) (digit? (car signs)))
      (from-point (cdr signs))
      signs))

(define (digit? sign)
  (memv sign '(#\0 #\1 #\2 #\3 #\4 #\5 #\6 #\7 #\8 #\9)))


;;; What may be bet (lib/README.md, D3), and what a purse may be set to

(define smallest-bet 4)
(define largest-bet 40000)
(define largest-purse 400000000)

(define bet-rule "A bet is $1.00 to $10,000.00 in steps of $0.50.")
(define purse-rule "A purse goes from -$100,000,000 to $100,000,000 by $0.25.")

(define (bet? amount)
  (and (exact-integer? amount)
       (even? amount)
       (<= smallest-bet amount largest-bet)))

(define (purse? amount)
  (and (exact-integer? amount)
       (<= (abs amount) largest-purse)))

;; What so many half bets are worth.

(define (winnings half-bets bet)
  (* half-bets (quotient bet 2)))

))
