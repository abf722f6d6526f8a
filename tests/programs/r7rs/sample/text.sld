;;; What (sample greeting) needs.

(define-library (sample text)
  (export join)
  (import (rename (scheme base) (string-append join))))
