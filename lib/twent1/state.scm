;;; twent1/state.scm: what a game of TWENT1 is between two keys, and its file
;;;
;;; The file is a list like
;;;
;;;   (twent1 (purse 50) (bet 20) (answers no hit) (shoe ah 10s ...))
;;;
;;; with money in quarters.  Shoe is what a hand is, or will be, dealt from, and
;;; answers are those that were given in that hand; #f before it is dealt.

(define-library (twent1 state)
  (export new-game purse bet shoe answers
          with-money with-answer dealt game-table after-hand with-fresh-shoe
          game-file save-game saved-game forget-game put-aside)
  (import (twent1 engine) (twent1 money))
  (begin

(define-record-type game
  (make-game purse bet shoe answers)
  game?
  (purse purse)
  (bet bet)
  (shoe shoe)
  (answers answers))

(define (new-game)
  (make-game 0 smallest-bet (fresh-shoe) #f))

(define (with-money game purse bet)
  (make-game purse bet (shoe game) (answers game)))

(define (with-fresh-shoe game)
  (make-game (purse game) (bet game) (fresh-shoe) #f))

(define (dealt game)
  (make-game (purse game) (bet game) (shoe game) '()))

(define (with-answer game word)
  (make-game (purse game) (bet game) (shoe game)
             (append (answers game) (list word))))

;; The table where the game's hand stands; #f before it is dealt.

(define (game-table game)
  (define (go-on table answers)
    (if (null? answers)
        table
        (go-on (answer table (car answers)) (cdr answers))))
  (and (answers game)
       (go-on (deal (shoe game)) (answers game))))

;; The hand is over: the purse changes, and the used cards are gone.

(define (after-hand game table)
  (make-game (+ (purse game) (winnings (gain table) (bet game)))
             (bet game)
             (table-shoe table)
             #f))


;;; The file

;; The file in a folder; #f, as the folder, for a game that is not to be kept.

(define (game-file folder)
  (and folder (string-append folder "/twent1.game")))

;; Whether the game could be saved.  A kill leaves the new file or the old one.

(define (save-game game file)
  (guard (problem ((file-error? problem) #f))
    (and file
         (call-with-new-contents file
           (lambda (port)
             (write (list 'twent1
                          (list 'purse (purse game))
                          (list 'bet (bet game))
                          (cons 'answers (answers game))
                          (cons 'shoe (shoe game)))
                    port)
             (newline port)
             #t)))))

;; The game in the file, #f if there is no file, unreadable if it holds none.

(define (saved-game file)
  (cond ((not (and file (file-exists? file))) #f)
        ((guard (problem (#t #f))
           (game-from (call-with-input-file file read))))
        (else 'unreadable)))

(define (game-from data)
  (define (part name)
    (cdr (assq name (cdr data))))
  (let ((game (make-game (car (part 'purse)) (car (part 'bet))
                         (part 'shoe) (part 'answers))))
    (and (eq? (car data) 'twent1)
         (exact-integer? (purse game))
         (bet? (bet game))
         (possible-shoe? (shoe game))
         (or (not (answers game))
             (and (not (too-low? (shoe game)))
                  (playing? (game-table game))))
         game)))

;; All are cards, and none is there more than four times.

(define (possible-shoe? shoe)
  (define times (make-equal-hash-table))
  (define (possible? cards)
    (or (null? cards)
        (let ((n (hash-table-ref/default times (car cards) 0)))
          (hash-table-set! times (car cards) (+ n 1))
          (and (< n 4)
               (memq (car cards) ordered-pack)
               (possible? (cdr cards))))))
  (possible? shoe))

;; The game has come to its end: there is nothing to resume.

(define (forget-game file)
  (guard (problem ((file-error? problem) #f))
    (and file
         (file-exists? file)
         (delete-file file))))

;; Give an unreadable file another name, one that no file has yet, so that it can
;; be looked at.  What comes after the old name; #f if that can't be done.

(define (put-aside file)
  (define (free-ending n)
    (let ((ending (string-append ".unreadable" (if (= n 1) "" (number->string n)))))
      (if (file-exists? (string-append file ending))
          (free-ending (+ n 1))
          ending)))
  (guard (problem ((file-error? problem) #f))
    (let ((ending (free-ending 1)))
      (rename-file file (string-append file ending))
      ending)))

))
