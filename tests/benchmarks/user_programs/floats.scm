; Points of the Mandelbrot set, and square roots by Newton's method (SICP 1.1.7).
(define (escapes-after cr ci limit)
  (let loop ((zr 0.0) (zi 0.0) (count 0))
    (if (or (= count limit) (> (+ (* zr zr) (* zi zi)) 4.0))
        count
        (loop (+ (- (* zr zr) (* zi zi)) cr) (+ (* 2.0 zr zi) ci) (+ count 1)))))
(define (average x y) (/ (+ x y) 2))
(define (improve guess x) (average guess (/ x guess)))
(define (good-enough? guess x) (< (abs (- (* guess guess) x)) 0.001))
(define (sqrt-iter guess x) (if (good-enough? guess x) guess (sqrt-iter (improve guess x) x)))
(define (repeat n total)
  (if (= n 0)
      total
      (repeat (- n 1)
              (+ total
                 (escapes-after (- (/ (modulo n 40) 16.0) 2.0) 0.3 60)
                 (sqrt-iter 1.0 (* 1.0 n))))))
(define (run n) (exact (round (repeat n 0))))
