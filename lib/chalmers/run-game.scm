;;; run-game.scm: play Black Jack against the bank
;;;
;;;   (load "chalmers/black-jack.scm")
;;;   (load "chalmers/run-game.scm")
;;;   (run-game black-jack)
;;;
;;; run-game knows neither cards nor rules. All that it needs is in the package
;;; that it is given, a list of eight procedures:
;;;
;;;   (empty) (full-deck) (value hand) (game-over hand) (winner guest bank)
;;;   (draw deck hand) (play-bank deck) (shuffle gen deck)
;;;
;;; So if you write your own, (run-game (list ...)) plays with them.

(load "random-gen.scm")

(define (run-game package)
  (if (package? package)
      (apply play-game (make-gen (random 1000000000)) package)
      (error "run-game: not a package of eight procedures: ~s" package)))

(define (package? package)
  (define (all-procedures? things)
    (or (null? things)
        (and (procedure? (car things)) (all-procedures? (cdr things)))))
  (and (list? package)
       (= (length package) 8)
       (all-procedures? package)))

(define (play-game gen empty full-deck value game-over winner draw play-bank shuffle)

  (define (show-hand owner hand)
    (show (format "~a: ~a" owner hand))
    (show (format "  value ~a~a" (value hand) (if (game-over hand) ", bust" ""))))

  (define (guest-plays deck hand)
    (show-hand "You" hand)
    (if (game-over hand)
        (bank-plays deck hand)
        (case (ask-guest)
          ((draw) (let ((deck-and-hand (draw deck hand)))
                    (guest-plays (car deck-and-hand) (cadr deck-and-hand))))
          ((stop) (bank-plays deck hand))
          (else (show "There is no more input, so the game ends here.")
                'nobody))))

  (define (bank-plays deck guest-hand)
    (let* ((bank-hand (play-bank deck))
           (who (winner guest-hand bank-hand)))
      (show-hand "The bank" bank-hand)
      (show (format "The winner is the ~a." who))
      who))

  (show "Welcome to Black Jack.")
  (guest-plays (shuffle gen (full-deck)) (empty)))

;; Returns draw or stop; or, at the end of the input, what read-line returns there.

(define (ask-guest)
  (display "Draw or stop? ")
  (let ((answer (read-line)))
    (cond ((eof-object? answer) (fresh-line) answer)
          ((member answer '((draw) (d) (yes) (y))) 'draw)
          ((member answer '((stop) (s) (no) (n))) 'stop)
          (else (show "Please type draw (or d) or stop (or s), and press Enter.")
                (ask-guest)))))
