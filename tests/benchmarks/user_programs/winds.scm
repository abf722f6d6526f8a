; A resource is held during each step, some of which are left by a continuation.
(define depth 0)
(define deepest 0)
(define (with-resource thunk)
  (dynamic-wind
   (lambda () (set! depth (+ depth 1)) (set! deepest (max deepest depth)))
   thunk
   (lambda () (set! depth (- depth 1)))))
(define (step n)
  (call/cc
   (lambda (leave)
     (with-resource
      (lambda () (with-resource (lambda () (if (= (modulo n 3) 0) (leave 1) 2))))))))
(define (repeat n total) (if (= n 0) (+ total depth deepest) (repeat (- n 1) (+ total (step n)))))
(define (run n) (repeat n 0))
