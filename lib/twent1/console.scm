;;; twent1/console.scm: the two ways to put a question
;;;
;;; On a screen keys act at once and the picture is drawn anew each time.  Line
;;; by line, from a pipe or a file, each answer is a line, the empty one for
;;; ENTER, "space" and "esc" for those keys, and of the picture only what is new
;;; is shown.
;;;
;;; Both give back enter, space, escape, a string in lower case, or the
;;; end-of-file object.

(define-library (twent1 console)
  (export screen-console line-console ask-key ask-line)
  (import (twent1 picture))
  (begin

(define-record-type console
  (make-console key-asker line-asker)
  console?
  (key-asker key-asker)
  (line-asker line-asker))

(define (ask-key console game table note prompt)
  ((key-asker console) game table note prompt))

(define (ask-line console game table note prompt)
  ((line-asker console) game table note prompt))


;;; Line by line

;; Of the picture, the purse, the bet and the hands are shown when they are not
;; as they were before, and the note always.

(define (line-console)
  (let ((shown (list "" "" '() '())))
    (define (ask game table note prompt)
      (let* ((lines (picture game table note card-word))
             (hands (sublist lines 2 5))
             (note-lines (list-tail lines 5)))
        (fresh-line)
        (for-each show-new
                  (list (list (car lines)) (list (cadr lines)) hands note-lines)
                  shown)
        (set! shown (list (list (car lines)) (list (cadr lines)) hands '()))
        (display prompt)
        (line-entry (read-string))))
    (make-console ask ask)))

(define (show-new lines before)
  (if (not (equal? lines before))
      (for-each show (filter (lambda (line) (not (string=? line ""))) lines))))

(define (line-entry line)
  (cond ((eof-object? line) line)
        ((string=? line "") 'enter)
        ((string-index line #\escape) 'escape)
        (else
         (let ((entry (string-downcase (trimmed line))))
           (cond ((string=? entry "") 'space)
                 ((string=? entry "space") 'space)
                 ((string=? entry "esc") 'escape)
                 (else entry))))))

(define (trimmed line)
  (define (without-blanks signs)
    (if (and (pair? signs) (char-whitespace? (car signs)))
        (without-blanks (cdr signs))
        signs))
  (list->string
   (reverse (without-blanks (reverse (without-blanks (string->list line)))))))


;;; On a screen

(define (screen-console)
  (let ((card->string (if (displayable? "♥♠♦♣") card-sign card-word)))
    (define (draw game table note prompt)
      (draw-lines (fitting (append (picture game table note card->string) (list prompt))
                           (screen-rows))
                  0))
    (define (ask-one-key game table note prompt)
      (draw game table note prompt)
      (let ((key (read-key)))
        (if (eq? key 'resize)
            (begin (clear-screen)
                   (ask-one-key game table note prompt))
            (key-entry key))))
    (define (ask-amount game table note prompt)
      (define (edit text)
        (draw game table note (string-append prompt text))
        (let ((key (read-key)))
          (cond ((eof-object? key) key)
                ((eq? key 'resize) (clear-screen) (edit text))
                ((eq? key 'escape) 'escape)
                ((eq? key 'enter) (if (string=? text "") 'enter text))
                ((eq? key 'backspace) (edit (shortened text)))
                ((not (char? key)) (edit text))
                ((and (string=? text "") (memv key '(#\q #\Q #\r #\R)))
                 (string (char-downcase key)))
                ((< (+ (string-length prompt) (string-length text)) (- columns 1))
                 (edit (string-append text (string (char-downcase key)))))
                (else (edit text)))))
      (edit ""))
    (make-console ask-one-key ask-amount)))

(define (key-entry key)
  (cond ((eof-object? key) key)
        ((eqv? key #\space) 'space)
        ((char? key) (string (char-downcase key)))
        ((memq key '(enter escape)) key)
        (else "another key")))

(define (shortened text)
  (substring text 0 (max 0 (- (string-length text) 1))))

;; Where there are too few rows the empty lines are left out, and then the first
;; ones; the last one, the question, never.

(define (fitting lines rows)
  (cond ((<= (length lines) (max 1 rows)) lines)
        ((member "" lines) (fitting (without "" lines) rows))
        (else (fitting (cdr lines) rows))))

(define (without line lines)
  (if (string=? line (car lines))
      (cdr lines)
      (cons (car lines) (without line (cdr lines)))))

(define (draw-lines lines row)
  (if (not (null? lines))
      (begin (move-cursor 0 row)
             (clear-line)
             (draw-line (car lines))
             (draw-lines (cdr lines) (+ row 1)))))

;; The red suits are red.

(define (draw-line line)
  (string-for-each
   (lambda (sign)
     (if (memv sign '(#\♥ #\♦))
         (begin (text-style 'red)
                (display sign)
                (text-style))
         (display sign)))
   (substring line 0 (min (string-length line) (screen-columns)))))

))
