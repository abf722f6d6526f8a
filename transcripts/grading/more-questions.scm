;;; The same in a Scheme file: what is behind "expect" should be the value.

(load "hw1.scm")

; minischeme: question "large numbers"
; minischeme: points 2 each
(sq 123456789)
; expect 15241578750190521

(sum-of-squares '(1000000 1000000))
; expect 2000000000000

; minischeme: question "words are no numbers"
; minischeme: points 1
; minischeme: visibility hidden
(sq 'three)
; expect Error
