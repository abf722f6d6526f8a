;;; (testing): checks for programs that test a Scheme. Each says whether an expression has the value that it should
;;; have; two values are the same if `write` shows them alike, so 1 is not 1.0, and a NaN is a NaN.

(define-library (testing)
  (export test test-values test-error test-syntax-error test-output test-report)
  (import (scheme base) (scheme write) (scheme eval))
  (begin
    (define checked 0)
    (define failed 0)

    (define (written value)
      (let ((out (open-output-string)))
        (write value out)
        (get-output-string out)))

    (define (show . parts)
      (for-each (lambda (part) (if (string? part) (display part) (write part))) parts)
      (newline))

    (define (check expected expression thunk)
      (set! checked (+ checked 1))
      (let ((found (guard (e ((error-object? e)
                              (string-append "error: " (error-object-message e) (written (error-object-irritants e))))
                             (#t (string-append "raised: " (written e))))
                     (written (thunk)))))
        (cond ((not (string=? found (written expected)))
               (set! failed (+ failed 1))
               (show expression " should be " expected ", but is: " found)))))

    (define-syntax test
      (syntax-rules ()
        ((_ expected expression)
         (check expected 'expression (lambda () expression)))))

    ;; The expected values are the elements of a list.
    (define-syntax test-values
      (syntax-rules ()
        ((_ expected expression)
         (check expected 'expression (lambda () (call-with-values (lambda () expression) list))))))

    (define-syntax test-error
      (syntax-rules ()
        ((_ expression)
         (check 'an-error 'expression (lambda () (guard (e (#t 'an-error)) expression))))))

    ;; The expression is a datum.
    (define (test-syntax-error expression)
      (check 'an-error expression
             (lambda () (guard (e (#t 'an-error)) (eval expression (environment '(scheme base)))))))

    ;; What the expressions print to the port called `out`.
    (define-syntax test-output
      (syntax-rules ()
        ((_ expected (out) expression ...)
         (check expected '(expression ...)
                (lambda ()
                  (let ((out (open-output-string)))
                    expression ...
                    (get-output-string out)))))))

    (define (test-report)
      (show checked " checks, " failed " failed"))))
