;;; twent1/play.scm: TWENT1 at a terminal, or line by line, with its file

(define-library (twent1 play)
  (export twent1)
  (import (twent1 state) (twent1 game) (twent1 console))
  (begin

(define (twent1 . optional)
  (let ((folder (if (null? optional) (user-data-folder) (car optional))))
    (define (play)
      (play-game (if (terminal?) (screen-console) (line-console))
                 (game-file folder)))
    (define (play-on-screen)
      (with-screen play))
    (let ((last-words (if folder
                          (or (call-with-lock folder play-on-screen)
                              (string-append "The game in " folder " is being played already."))
                          (play-on-screen))))
      (fresh-line)
      (show last-words))))

))
