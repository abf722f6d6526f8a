; Comparison of large structures, and the counting of what a list holds.
(define (tree depth) (if (= depth 0) (list 'leaf "text" 1.5) (list depth (tree (- depth 1)) (tree (- depth 1)))))
(define one (tree 7))
(define two (tree 7))
(define (count-leaves x)
  (cond ((null? x) 0) ((pair? x) (+ (count-leaves (car x)) (count-leaves (cdr x)))) (else 1)))
(define (repeat n total)
  (if (= n 0) total (repeat (- n 1) (if (equal? one two) (+ total (count-leaves one)) total))))
(define (run n) (repeat n 0))
