;;; Machines for the simulator: iteration, recursion, recursion twice over (SICP 5.1).

(load "register-machine.scm")

(define gcd-machine
  (make-machine
   (list (list '= =) (list 'remainder remainder))
   '(test-b
     (test (op =) (reg b) (const 0))
     (branch (label gcd-done))
     (assign t (op remainder) (reg a) (reg b))
     (assign a (reg b))
     (assign b (reg t))
     (goto (label test-b))
     gcd-done)))

(define factorial-machine
  (make-machine
   (list (list '= =) (list '- -) (list '* *))
   '((assign continue (label done))
     factorial
     (test (op =) (reg n) (const 0))
     (branch (label base-case))
     (save continue)
     (save n)
     (assign n (op -) (reg n) (const 1))
     (assign continue (label multiply))
     (goto (label factorial))
     multiply
     (restore n)
     (restore continue)
     (assign value (op *) (reg n) (reg value))
     (goto (reg continue))
     base-case
     (assign value (const 1))
     (goto (reg continue))
     done)))

;; Fibonacci numbers: value holds the result of the first recursive call while the second one runs.
(define fib-machine
  (make-machine
   (list (list '< <) (list '- -) (list '+ +))
   '((assign continue (label done))
     fib
     (test (op <) (reg n) (const 2))
     (branch (label small))
     (save continue)
     (save n)
     (assign n (op -) (reg n) (const 1))
     (assign continue (label first-done))
     (goto (label fib))
     first-done
     (restore n)
     (assign n (op -) (reg n) (const 2))
     (save value)
     (assign continue (label second-done))
     (goto (label fib))
     second-done
     (assign n (reg value))
     (restore value)
     (restore continue)
     (assign value (op +) (reg value) (reg n))
     (goto (reg continue))
     small
     (assign value (reg n))
     (goto (reg continue))
     done)))
