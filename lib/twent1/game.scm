;;; twent1/game.scm: the questions of TWENT1, one after the other
;;;
;;; Each of them is a procedure that calls the next one.  A console puts the
;;; questions, so that the same game is played on a screen and line by line:
;;;
;;;   (ask-key console game table note prompt)    one key
;;;   (ask-line console game table note prompt)   an amount
;;;
;;; What they return is enter, space, escape, a string in lower case, or the
;;; end-of-file object.

(define-library (twent1 game)
  (export play-game)
  (import (twent1 engine) (twent1 money) (twent1 state)
          (twent1 picture) (twent1 console))
  (begin

;; A sitting has the console that puts the questions, and the file that keeps the
;; game, or #f.

(define-record-type sitting
  (make-sitting console file)
  sitting?
  (console sitting-console)
  (file sitting-file))

;; Play until the user leaves; what is to be said at the end.

(define (play-game console file)
  (begin-game (make-sitting console file)))

(define (key-answer sitting game table note prompt)
  (ask-key (sitting-console sitting) game table note prompt))

(define (line-answer sitting game table note prompt)
  (ask-line (sitting-console sitting) game table note prompt))

(define (save sitting game)
  (save-game game (sitting-file sitting)))

;; The beginning: a new game, or the one of the last time.

(define (begin-game sitting)
  (let ((game (saved-game (sitting-file sitting))))
    (cond ((eq? game 'unreadable) (begin-without-it sitting))
          ((not game) (begin-anew sitting help))
          ((answers game)
           (ask-choice sitting game (game-table game)
                       (string-append "Welcome back: this hand is not over yet."
                                      (if (insured? (game-table game))
                                          " The insurance is lost."
                                          ""))))
          (else
           (ask-bet sitting game #f "" (string-append "Welcome back. " help))))))

(define (begin-without-it sitting)
  (let ((ending (put-aside (sitting-file sitting))))
    (begin-anew sitting
                (string-append "The saved game can't be read."
                               (if ending
                                   (string-append " It is now in twent1.game" ending ".")
                                   "")))))

(define (begin-anew sitting note)
  (let ((game (new-game)))
    (if (or (not (sitting-file sitting)) (save sitting game))
        (ask-bet sitting game #f "" note)
        (ask-bet sitting game #f "" (cannot-save sitting)))))

(define help "ENTER keeps, Q quits, R suspends, ESC corrects.")

(define (cannot-save sitting)
  (if (sitting-file sitting)
      "This game can't be saved: its file can't be written."
      "This game is played without a file that could keep it."))

;; Before a hand: the bet.  The table is the one that was played last.

(define (ask-bet sitting game table before note)
  (if (too-low? (shoe game))
      (ask-bet sitting (with-fresh-shoe game) table "Shuffled. " note)
      (let ((entry (line-answer sitting game table note
                                (string-append before "Bet (" (dollars (bet game)) ")? "))))
        (define (again note)
          (ask-bet sitting game table before note))
        (cond ((leaving? entry) (leave sitting entry game again))
              ((eq? entry 'escape)
               (correct sitting game table (lambda (game) (ask-bet sitting game table before ""))))
              ((new-bet entry game)
               (start-hand sitting (with-money game (purse game) (new-bet entry game))))
              (else (again (refusal entry bet-rule)))))))

;; An empty entry keeps the value.

(define (new-bet entry game)
  (new-amount entry (bet game) bet?))

(define (new-amount entry old fitting?)
  (if (memq entry '(enter space))
      old
      (let ((amount (quarters entry)))
        (and amount (fitting? amount) amount))))

(define (refusal entry rule)
  (string-append "Not " (shortened entry) ". " rule))

(define (shortened entry)
  (if (> (string-length entry) 12)
      (string-append (substring entry 0 10) "...")
      entry))

;; The hand: one question after the other, until it is over.

(define (start-hand sitting game)
  (go-on sitting (dealt game)))

(define (go-on sitting game)
  (let ((table (game-table game)))
    (if (playing? table)
        (begin (save sitting game)
               (ask-choice sitting game table (insurance-note game)))
        (end-hand sitting game table))))

;; The hand goes on after that question only if the dealer has no natural.

(define (insurance-note game)
  (cond ((equal? (answers game) '(yes))
         (string-append "The dealer has no natural: the insurance of "
                        (dollars (winnings 1 (bet game)))
                        " is lost."))
        ((equal? (answers game) '(no)) "The dealer has no natural.")
        (else "")))

(define (ask-choice sitting game table note)
  (let ((entry (key-answer sitting game table note (prompt-for game table))))
    (define (again note)
      (ask-choice sitting game table note))
    (cond ((eof-object? entry) (leave sitting entry game again))
          ((eq? entry 'escape)
           (correct sitting game table (lambda (game) (ask-choice sitting game table ""))))
          ((choice entry (choices table))
           (go-on sitting (with-answer game (choice entry (choices table)))))
          ((member entry '("q" "r"))
           (again "First this hand: then you may leave."))
          (else (again (offer (choices table)))))))

(define (prompt-for game table)
  (if (eq? (question table) 'insurance)
      (string-append "Insurance for " (dollars (winnings 1 (bet game))) " (Y/N)? ")
      (string-append (show-choices (choices table)) "? ")))

(define (offer choices)
  (string-append "Please press a letter: " (show-choices choices) "."))

;; After a hand: the same bet, or another one.

(define (end-hand sitting game table)
  (let ((next (after-hand game table)))
    (save sitting next)
    (if (too-low? (shoe next))
        (ask-bet sitting next table "" (result table (bet game)))
        (ask-next sitting next table (result table (bet game))))))

(define (ask-next sitting game table note)
  (let ((entry (key-answer sitting game table note "ENTER again, SPACE new bet, Q, R? ")))
    (define (again note)
      (ask-next sitting game table note))
    (cond ((leaving? entry) (leave sitting entry game again))
          ((eq? entry 'escape)
           (correct sitting game table (lambda (game) (ask-next sitting game table ""))))
          ((eq? entry 'enter) (start-hand sitting game))
          ((eq? entry 'space) (ask-bet sitting game table "" ""))
          (else (again "ENTER: the same bet. SPACE: another one. Q: quit. R: suspend. ESC: correct.")))))

;; ESC: a corrected purse and bet, then back to the question
;; (lib/README.md, D9).

(define (correct sitting game table back)
  (ask-amount sitting game table "Purse" (purse game) purse? purse-rule back
    (lambda (purse)
      (ask-amount sitting game table "Bet" (bet game) bet? bet-rule back
        (lambda (bet)
          (let ((game (with-money game purse bet)))
            (save sitting game)
            (back game)))))))

(define (ask-amount sitting game table name old fitting? rule back accept)
  (define (ask note)
    (let ((entry (line-answer sitting game table note
                              (string-append name " (" (dollars old) ")? "))))
      (cond ((eof-object? entry) (leave sitting entry game ask))
            ((eq? entry 'escape) (correct sitting game table back))
            ((new-amount entry old fitting?)
             (accept (new-amount entry old fitting?)))
            (else (ask (refusal entry rule))))))
  (ask "A corrected purse and bet. ENTER keeps a value."))

;; Leaving: Q is the end of the game, R and the end of the input keep it.

(define (leaving? entry)
  (or (eof-object? entry) (member entry '("q" "r"))))

(define (leave sitting entry game again)
  (cond ((equal? entry "q")
         (forget-game (sitting-file sitting))
         (string-append "You leave with " (dollars (purse game)) "."))
        ((save sitting game)
         (string-append "Suspended with " (dollars (purse game))
                        ". The next game goes on from here."))
        ((eof-object? entry)
         (string-append "You leave with " (dollars (purse game)) ". " (cannot-save sitting)))
        (else (again (cannot-save sitting)))))

))
