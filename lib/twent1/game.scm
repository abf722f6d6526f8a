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

;; Play until the user leaves; what is to be said at the end.

(define (play-game console file)

  ;; The beginning: a new game, or the one of the last time.

  (define (begin-game)
    (let ((game (saved-game file)))
      (cond ((eq? game 'unreadable) (begin-without-it))
            ((not game) (begin-anew help))
            ((answers game)
             (ask-choice game (game-table game)
                         (string-append "Welcome back: this hand is not over yet."
                                        (if (insured? (game-table game))
                                            " The insurance is lost."
                                            ""))))
            (else
             (ask-bet game #f "" (string-append "Welcome back. " help))))))

  (define (begin-without-it)
    (let ((ending (put-aside file)))
      (begin-anew
       (string-append "The saved game can't be read."
                      (if ending
                          (string-append " It is now in twent1.game" ending ".")
                          "")))))

  (define (begin-anew note)
    (let ((game (new-game)))
      (if (or (not file) (save-game game file))
          (ask-bet game #f "" note)
          (ask-bet game #f "" cannot-save))))

  (define help "ENTER keeps, Q quits, R suspends, ESC corrects.")

  (define cannot-save
    (if file
        "This game can't be saved: its file can't be written."
        "This game is played without a file that could keep it."))

  ;; Before a hand: the bet.  The table is the one that was played last.

  (define (ask-bet game table before note)
    (if (too-low? (shoe game))
        (ask-bet (with-fresh-shoe game) table "Shuffled. " note)
        (let ((entry (ask-line console game table note
                               (string-append before "Bet (" (dollars (bet game)) ")? "))))
          (define (again note)
            (ask-bet game table before note))
          (cond ((leaving? entry) (leave entry game again))
                ((eq? entry 'escape)
                 (correct game table (lambda (game) (ask-bet game table before ""))))
                ((new-bet entry game)
                 (start-hand (with-money game (purse game) (new-bet entry game))))
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

  (define (start-hand game)
    (go-on (dealt game)))

  (define (go-on game)
    (let ((table (game-table game)))
      (if (playing? table)
          (begin (save-game game file)
                 (ask-choice game table (insurance-note game)))
          (end-hand game table))))

  ;; The hand goes on after that question only if the dealer has no natural.

  (define (insurance-note game)
    (cond ((equal? (answers game) '(yes))
           (string-append "The dealer has no natural: the insurance of "
                          (dollars (winnings 1 (bet game)))
                          " is lost."))
          ((equal? (answers game) '(no)) "The dealer has no natural.")
          (else "")))

  (define (ask-choice game table note)
    (let ((entry (ask-key console game table note (prompt-for game table))))
      (define (again note)
        (ask-choice game table note))
      (cond ((eof-object? entry) (leave entry game again))
            ((eq? entry 'escape)
             (correct game table (lambda (game) (ask-choice game table ""))))
            ((choice entry (choices table))
             (go-on (with-answer game (choice entry (choices table)))))
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

  (define (end-hand game table)
    (let ((next (after-hand game table)))
      (save-game next file)
      (if (too-low? (shoe next))
          (ask-bet next table "" (result table (bet game)))
          (ask-next next table (result table (bet game))))))

  (define (ask-next game table note)
    (let ((entry (ask-key console game table note "ENTER again, SPACE new bet, Q, R? ")))
      (define (again note)
        (ask-next game table note))
      (cond ((leaving? entry) (leave entry game again))
            ((eq? entry 'escape)
             (correct game table (lambda (game) (ask-next game table ""))))
            ((eq? entry 'enter) (start-hand game))
            ((eq? entry 'space) (ask-bet game table "" ""))
            (else (again "ENTER: the same bet. SPACE: another one. Q: quit. R: suspend. ESC: correct.")))))

  ;; ESC: a corrected purse and bet, then back to the question
  ;; (lib/README.md, D9).

  (define (correct game table back)
    (ask-amount game table "Purse" (purse game) purse? purse-rule back
      (lambda (purse)
        (ask-amount game table "Bet" (bet game) bet? bet-rule back
          (lambda (bet)
            (let ((game (with-money game purse bet)))
              (save-game game file)
              (back game)))))))

  (define (ask-amount game table name old fitting? rule back accept)
    (define (ask note)
      (let ((entry (ask-line console game table note
                             (string-append name " (" (dollars old) ")? "))))
        (cond ((eof-object? entry) (leave entry game ask))
              ((eq? entry 'escape) (correct game table back))
              ((new-amount entry old fitting?)
               (accept (new-amount entry old fitting?)))
              (else (ask (refusal entry rule))))))
    (ask "A corrected purse and bet. ENTER keeps a value."))

  ;; Leaving: Q is the end of the game, R and the end of the input keep it.

  (define (leaving? entry)
    (or (eof-object? entry) (member entry '("q" "r"))))

  (define (leave entry game again)
    (cond ((equal? entry "q")
           (forget-game file)
           (string-append "You leave with " (dollars (purse game)) "."))
          ((save-game game file)
           (string-append "Suspended with " (dollars (purse game))
                          ". The next game goes on from here."))
          ((eof-object? entry)
           (string-append "You leave with " (dollars (purse game)) ". " cannot-save))
          (else (again cannot-save))))

  (begin-game))

))
