;;; twenty-one.scm: the 6.001 problem set "The Game of Twenty-one", all of it
;;;
;;;   (load "6001/twenty-one.scm")
;;;   (twenty-one hit? hit?)            two people play: answer y or n
;;;   (twenty-one hit? (stop-at 16))    you play against the house
;;;   (test-strategy louis (stop-at 16) 1000)
;;;
;;; Here a card is a number and a hand is a pair.  (load "6001/cards.scm") puts
;;; cards with suits in their place; nothing else has to be loaded again.

(load "ranks.scm")
(load "hands.scm")
(load "game.scm")
(load "strategies.scm")
(load "card-sets.scm")
(load "decks.scm")
(load "finite-deck.scm")
