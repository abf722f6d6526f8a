;;; twent1.scm: TWENT1, blackjack as on a portable computer with 8 lines of 40
;;; characters
;;;
;;;   (twent1)                    play, or go on with the game that was suspended
;;;   (twent1 "folder")           the same, with a folder of one's own for the game
;;;   (twent1 #f)                 play without keeping anything
;;;   (twent1-simulation 10000)   have a simple player play so many hands
;;;
;;; You bet, from $1.00 to $10,000.00, and get two cards; the dealer gets one
;;; face up and one face down.  Take cards until you think that you are nearer
;;; to 21 than the dealer, who must draw below 17.  Keys: the letter in brackets,
;;; ENTER and SPACE for the same or another bet, Q to quit, R to suspend, and ESC
;;; to correct your purse and bet.

(define-library (twent1)
  (export twent1 (rename simulation twent1-simulation))
  (import (twent1 play) (twent1 simulation)))

(import (twent1))
