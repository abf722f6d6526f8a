;;; odds.scm: how likely a guest is to win who stops at some value, without luck
;;;
;;;   (load "chalmers/odds.scm")
;;;   (guest-odds 17)   the probabilities that a guest who stops at 17 or more
;;;                     wins, and that she is bust

(define (guest-odds limit)
  (let ((outcomes (exact-guest-outcomes (lambda (value) (< value limit)))))
    (list (car outcomes) (cadddr outcomes))))
