;;; twent1/picture.scm: what TWENT1 shows, as lines of 40 characters
;;;
;;;   TWENT1                     Purse -$12.50
;;;   Bet $5.00                 184 cards left
;;;     Dealer  10d ??
;;;   * Hand 1  8h 3c  11
;;;     Hand 2  8d kd  18
;;;
;;; and below them a note of up to two lines.

(define-library (twent1 picture)
  (export picture columns card-word card-sign choice show-choices result)
  (import (twent1 engine) (twent1 money) (twent1 state))
  (begin

(define columns 40)

;; The lines of the picture, seven of them.  Card->string is how a card is shown;
;; the table is #f before the first hand.

(define (picture game table note card->string)
  (append (list (two-ends "TWENT1"
                          (string-append "Purse " (dollars (purse game))))
                (two-ends (string-append "Bet " (dollars (bet game)))
                          (string-append (number->string (cards-left game table))
                                         " cards left")))
          (if table
              (cons (dealer-line table card->string)
                    (hand-lines table card->string))
              (list "" "" ""))
          (two-lines (wrap (words-of note)))))

(define (cards-left game table)
  (length (if (and table (playing? table))
              (table-shoe table)
              (shoe game))))

(define (two-ends left right)
  (string-append left
                 (make-string (max 1 (- columns (string-length left) (string-length right)))
                              #\space)
                 right))


;;; Hands

(define (dealer-line table card->string)
  (let ((cards (dealer-cards table)))
    (if (playing? table)
        (line "  Dealer  " (list (card->string (car cards)) "??") "")
        (line "  Dealer  " (map card->string cards)
              (if (dealer-natural? table) "  natural" (status cards))))))

;; Always two lines, the second one for a twin.

(define (hand-lines table card->string)
  (define (hand-line hand name)
    (line (string-append (if (eq? hand (hand-in-play table)) "* " "  ") name)
          (map card->string (hand-cards hand))
          (string-append (if (hand-natural? hand) "  natural" (status (hand-cards hand)))
                         (if (= (hand-bets hand) 2) " doubled" ""))))
  (let ((all (hands table)))
    (if (null? (cdr all))
        (list (hand-line (car all) "You     ") "")
        (list (hand-line (car all) "Hand 1  ")
              (hand-line (cadr all) "Hand 2  ")))))

(define (status cards)
  (let ((number (number->string (total cards))))
    (cond ((bust? cards) (string-append "  " number " bust"))
          ((soft? cards) (string-append "  soft " number))
          (else (string-append "  " number)))))

;; Should there be too many cards for the line, then the first ones are left out.

(define (line name cards status)
  (define (fitting cards)
    (let ((text (string-append name (joined cards) status)))
      (if (<= (string-length text) columns)
          text
          (fitting (cons ".." (cddr cards))))))
  (fitting cards))

(define (joined strings)
  (if (null? (cdr strings))
      (car strings)
      (string-append (car strings) " " (joined (cdr strings)))))

;; The king of hearts is kh as a word, and K♥ with the sign of its suit.

(define card-word symbol->string)

(define (card-sign card)
  (string-append (string-upcase (word->string (bl card)))
                 (cdr (assq (last card)
                            '((h . "♥") (s . "♠") (d . "♦") (c . "♣"))))))


;;; Notes

(define (words-of text)
  (let ((blank (string-index text #\space)))
    (cond ((not blank) (list text))
          ((= blank 0) (words-of (substring text 1 (string-length text))))
          (else (cons (substring text 0 blank)
                      (words-of (substring text (+ blank 1) (string-length text))))))))

(define (wrap words)
  (cond ((null? (cdr words)) words)
        ((< (+ (string-length (car words)) (string-length (cadr words))) columns)
         (wrap (cons (string-append (car words) " " (cadr words)) (cddr words))))
        (else (cons (car words) (wrap (cdr words))))))

(define (two-lines lines)
  (if (null? (cdr lines))
      (list (car lines) "")
      (list (car lines) (cadr lines))))


;;; Choices

;; Which of the choices an entry means: its letter or the whole word; #f if none.

(define (choice entry choices)
  (cond ((null? choices) #f)
        ((member entry (list (letter (car choices)) (symbol->string (car choices))))
         (car choices))
        (else (choice entry (cdr choices)))))

(define (letter choice)
  (if (eq? choice 'split)                 ; s is stand
      "p"
      (word->string (first choice))))

(define (show-choices choices)
  (joined (map (lambda (choice)
                 (cdr (assq choice
                            '((hit . "(H)it") (stand . "(S)tand") (double . "(D)ouble")
                              (split . "s(P)lit") (yes . "(Y)es") (no . "(N)o")))))
               choices)))


;;; What came of a hand

(define (result table bet)
  (define (hand-result name hand)
    (let ((won (hand-gain hand (dealer-cards table))))
      (cond ((> won 0) (string-append name " wins " (dollars (winnings won bet)) "."))
            ((= won 0) (string-append name " ties."))
            (else (string-append name " loses " (dollars (winnings (- won) bet)) ".")))))
  (define (hands-result)
    (let ((all (hands table)))
      (if (null? (cdr all))
          (list (one-hand-result (car all)))
          (list (hand-result "Hand 1" (car all))
                (hand-result "Hand 2" (cadr all))))))
  (define (one-hand-result hand)
    (let ((won (hand-gain hand (dealer-cards table))))
      (string-append
       (cond ((and (hand-natural? hand) (= won 0)) "Two naturals: ")
             ((hand-natural? hand) "A natural: ")
             ((bust? (hand-cards hand)) "Bust: ")
             (else ""))
       (cond ((> won 0) (string-append "you win " (dollars (winnings won bet)) "."))
             ((= won 0) "a tie.")
             (else (string-append "you lose " (dollars (winnings (- won) bet)) "."))))))
  (define (insurance-result)
    (let ((won (insurance-gain table)))
      (cond ((> won 0) (list (string-append "Insurance wins " (dollars (winnings won bet)) ".")))
            ((< won 0) (list (string-append "Insurance loses " (dollars (winnings (- won) bet)) ".")))
            (else '()))))
  (capitalized (joined (append (hands-result) (insurance-result)))))

(define (capitalized text)
  (string-append (string-upcase (substring text 0 1))
                 (substring text 1 (string-length text))))

))
