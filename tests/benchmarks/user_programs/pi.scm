; The digits of pi by Gibbons's spigot: ever larger integers.
(define (digits count)
  (let loop ((q 1) (r 0) (t 1) (k 1) (n 3) (l 3) (left count) (sum 0))
    (cond ((= left 0) sum)
          ((< (- (+ (* 4 q) r) t) (* n t))
           (loop (* q 10) (* 10 (- r (* n t))) t k
                 (- (quotient (* 10 (+ (* 3 q) r)) t) (* 10 n)) l (- left 1) (+ sum n)))
          (else
           (loop (* q k) (* (+ (* 2 q) r) l) (* t l) (+ k 1)
                 (quotient (+ (* q (+ (* 7 k) 2)) (* r l)) (* t l)) (+ l 2) left sum)))))
(define (repeat n total) (if (= n 0) total (repeat (- n 1) (+ total (digits 100)))))
(define (run n) (repeat n 0))
