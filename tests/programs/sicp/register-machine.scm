;;; A simulator of register machines (SICP 5.2).
;;;
;;; A machine is made from the list of its operations, (name procedure) each, and its controller text; registers are
;;; those that the text names, pc and flag besides. An instruction is one of
;;;     (assign register (reg r)) (assign register (const c)) (assign register (label l))
;;;     (assign register (op name) input ...)      (perform (op name) input ...)
;;;     (test (op name) input ...)                 (branch (label l))
;;;     (goto (label l)) (goto (reg r))            (save register) (restore register)
;;; and a symbol among the instructions is a label.

;; ── Registers ───────────────────────────────────────────────────────────────────────────────────────────────────────

(define (make-register name)
  (cons name '*unassigned*))

(define (contents register)
  (cdr register))

(define (set-contents! register value)
  (set-cdr! register value))

;; ── The stack, which counts what is done with it ────────────────────────────────────────────────────────────────────

(define (make-stack)
  (let ((items '()) (pushes 0) (depth 0) (maximum-depth 0))
    (define (push! item)
      (set! items (cons item items))
      (set! pushes (+ pushes 1))
      (set! depth (+ depth 1))
      (set! maximum-depth (max depth maximum-depth)))
    (define (pop!)
      (if (null? items)
          (error "restore: the stack is empty")
          (let ((top (car items)))
            (set! items (cdr items))
            (set! depth (- depth 1))
            top)))
    (define (initialize!)
      (set! items '())
      (set! pushes 0)
      (set! depth 0)
      (set! maximum-depth 0))
    (lambda (message)
      (cond ((eq? message 'push!) push!)
            ((eq? message 'pop!) (pop!))
            ((eq? message 'initialize!) (initialize!))
            ((eq? message 'statistics) (list 'total-pushes pushes 'maximum-depth maximum-depth))
            (else (error "a stack does not know " message))))))

(define (push! stack item)
  ((stack 'push!) item))

(define (pop! stack)
  (stack 'pop!))

;; ── Machines ────────────────────────────────────────────────────────────────────────────────────────────────────────

(define (make-machine operations controller-text)
  (let ((registers (list (make-register 'pc) (make-register 'flag)))
        (stack (make-stack))
        (instructions '())
        (executed 0))
    (define (register name)
      (let ((found (assq name registers)))
        (if (not found)
            (begin (set! found (make-register name))
                   (set! registers (cons found registers))))
        found))
    (define (operation name)
      (let ((found (assq name operations)))
        (if found
            (cadr found)
            (error "the machine has no operation " name))))
    (define (execute)
      (let ((rest (contents (register 'pc))))
        (if (pair? rest)
            (begin (set! executed (+ executed 1))
                   ((instruction-action (car rest)))
                   (execute))
            'done)))
    (define (start)
      (set-contents! (register 'pc) instructions)
      (set! executed 0)
      (execute))
    (define (machine message)
      (cond ((eq? message 'register) register)
            ((eq? message 'operation) operation)
            ((eq? message 'stack) stack)
            ((eq? message 'start) (start))
            ((eq? message 'executed) executed)
            (else (error "a machine does not know " message))))
    (set! operations
          (append (list (list 'initialize-stack (lambda () (stack 'initialize!)))
                        (list 'print-stack-statistics
                              (lambda () (display (stack 'statistics)) (newline))))
                  operations))
    (set! instructions (assemble controller-text machine))
    machine))

(define (start machine)
  (machine 'start))

(define (get-register-contents machine name)
  (contents ((machine 'register) name)))

(define (set-register-contents! machine name value)
  (set-contents! ((machine 'register) name) value)
  'done)

;; Give registers values, by an association list, run the machine, and tell what is in a register then.
(define (run machine inputs result)
  ((machine 'stack) 'initialize!)
  (for-each (lambda (input) (set-register-contents! machine (car input) (cadr input))) inputs)
  (start machine)
  (get-register-contents machine result))

;; ── The assembler ───────────────────────────────────────────────────────────────────────────────────────────────────
;; An instruction is its text with the procedure that carries it out. A label stands for the instructions from there on.

(define (make-instruction text)
  (cons text '()))

(define (instruction-text instruction)
  (car instruction))

(define (instruction-action instruction)
  (cdr instruction))

(define (set-action! instruction action)
  (set-cdr! instruction action))

(define (assemble text machine)
  (extract-labels text
                  (lambda (instructions labels)
                    (for-each (lambda (instruction)
                                (set-action! instruction
                                             (make-action (instruction-text instruction) labels machine)))
                              instructions)
                    instructions)))

(define (extract-labels text receive)
  (if (null? text)
      (receive '() '())
      (extract-labels
       (cdr text)
       (lambda (instructions labels)
         (cond ((pair? (car text))
                (receive (cons (make-instruction (car text)) instructions) labels))
               ((assq (car text) labels)
                (error "a label stands twice: " (car text)))
               (else
                (receive instructions (cons (cons (car text) instructions) labels))))))))

(define (place-of label labels)
  (let ((found (assq label labels)))
    (if found
        (cdr found)
        (error "there is no label " label))))

;; ── Instructions to procedures ──────────────────────────────────────────────────────────────────────────────────────

(define (make-action text labels machine)
  (let ((make (assq (car text) actions)))
    (if make
        ((cdr make) (cdr text) labels machine)
        (error "unknown instruction: " text))))

(define (advance! pc)
  (set-contents! pc (cdr (contents pc))))

;; An action that does something and goes on with the next instruction.
(define (then-advance machine act)
  (let ((pc ((machine 'register) 'pc)))
    (lambda ()
      (act)
      (advance! pc))))

(define (make-assign operands labels machine)
  (let ((target ((machine 'register) (car operands)))
        (value (make-value (cdr operands) labels machine)))
    (then-advance machine (lambda () (set-contents! target (value))))))

(define (make-test operands labels machine)
  (let ((flag ((machine 'register) 'flag))
        (condition (make-value operands labels machine)))
    (then-advance machine (lambda () (set-contents! flag (condition))))))

(define (make-perform operands labels machine)
  (then-advance machine (make-value operands labels machine)))

(define (make-branch operands labels machine)
  (let ((pc ((machine 'register) 'pc))
        (flag ((machine 'register) 'flag))
        (destination (place-of (cadar operands) labels)))
    (lambda ()
      (if (contents flag)
          (set-contents! pc destination)
          (advance! pc)))))

(define (make-goto operands labels machine)
  (let ((pc ((machine 'register) 'pc))
        (destination (make-input (car operands) labels machine)))
    (lambda ()
      (set-contents! pc (destination)))))

(define (make-save operands labels machine)
  (let ((source ((machine 'register) (car operands))))
    (then-advance machine (lambda () (push! (machine 'stack) (contents source))))))

(define (make-restore operands labels machine)
  (let ((target ((machine 'register) (car operands))))
    (then-advance machine (lambda () (set-contents! target (pop! (machine 'stack)))))))

(define actions
  (list (cons 'assign make-assign)
        (cons 'test make-test)
        (cons 'perform make-perform)
        (cons 'branch make-branch)
        (cons 'goto make-goto)
        (cons 'save make-save)
        (cons 'restore make-restore)))

;; A value is an operation on inputs, or an input: a procedure of no arguments in either case.
(define (make-value parts labels machine)
  (if (eq? (caar parts) 'op)
      (let ((procedure ((machine 'operation) (cadar parts)))
            (inputs (map (lambda (part) (make-input part labels machine)) (cdr parts))))
        (lambda ()
          (apply procedure (map (lambda (input) (input)) inputs))))
      (make-input (car parts) labels machine)))

(define (make-input part labels machine)
  (let ((kind (car part)) (what (cadr part)))
    (cond ((eq? kind 'const) (lambda () what))
          ((eq? kind 'reg)
           (let ((register ((machine 'register) what)))
             (lambda () (contents register))))
          ((eq? kind 'label)
           (let ((place (place-of what labels)))
             (lambda () place)))
          (else (error "unknown kind of input: " part)))))
