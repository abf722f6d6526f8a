; Divisions in a loop, some of which fail and are caught.
(define (safe-quotient a b default)
  (guard (problem ((symbol? problem) default))
    (if (= b 0) (raise 'division) (quotient a b))))
(define (repeat n total)
  (if (= n 0)
      total
      (repeat (- n 1) (+ total (safe-quotient n (modulo n 10) -1)))))
(define (run n) (repeat n 0))
