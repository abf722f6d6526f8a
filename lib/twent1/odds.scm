;;; twent1/odds.scm: what the house gains in TWENT1, by bet and by rule
;;;
;;;   (load "twent1/odds.scm")
;;;   (house-edge 10000)    plays so many hands for each line that has an interval

(define-library (twent1 odds)
  (export house-edge insurance-edge edge-of)
  (import (twent1 engine) (twent1 simulation))
  (begin

;; Insurance pays twice the bet if the hole card counts 10: of the 207 others in a
;; fresh shoe 64 do.

(define (insurance-edge)
  (- 1 (* 3 64/207)))

;; What a player loses of her bet on average in n hands, and by how much this mean
;; may be wrong, 95 % sure.

(define (edge-of player n)
  (define (play-on shoe left sum squares)
    (cond ((= left 0) (edge sum squares))
          ((too-low? shoe) (play-on (fresh-shoe) left sum squares))
          (else
           (let* ((table (play (deal shoe) player))
                  (loss (/ (gain table) -2)))
             (play-on (table-shoe table)
                      (- left 1)
                      (+ sum loss)
                      (+ squares (* loss loss)))))))
  (define (edge sum squares)
    (let ((mean (/ sum n)))
      (list mean (* 1.96 (sqrt (/ (- (/ squares n) (* mean mean)) n))))))
  (play-on '() n 0 0))

;; The simple player without a rule: an answer that she may not give becomes what
;; she would do otherwise.

(define (without forbidden)
  (lambda (table)
    (let ((answer (simple-player table)))
      (cond ((not (memq answer forbidden)) answer)
            ((< (total (hand-cards (hand-in-play table))) 17) 'hit)
            (else 'stand)))))

(define (insuring table)
  (if (memq 'yes (choices table)) 'yes (simple-player table)))

(define (house-edge n)
  (define (percent x) (align (* 100. x) 8 2))
  (define (line name player)
    (let ((edge (edge-of player n)))
      (display (string-pad-right name 34))
      (display (percent (car edge)))
      (display " % +-")
      (display (percent (cadr edge)))
      (newline)))
  (if (not (and (exact-integer? n) (> n 0)))
      (error "How many hands is " n "?"))
  (display (string-pad-right "insurance, with a fresh shoe" 34))
  (display (percent (insurance-edge)))
  (display " % exactly")
  (newline)
  (line "the bet of the simple player" simple-player)
  (line "  if she always insures" insuring)
  (line "  if she can't double" (without '(double)))
  (line "  if she can't split" (without '(split))))

))

(import (twent1 odds))
