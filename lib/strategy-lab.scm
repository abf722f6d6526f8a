;;; strategy-lab.scm: see what a strategy for Twenty-One really does
;;;
;;; Load it after the game and your own best-total:
;;;
;;;   (load "twenty-one.scm")
;;;   (load "strategy-lab.scm")
;;;
;;;   (strategy-chart s)              prints when s hits and when it stands
;;;   (strategy-chart s "chart.svg")  draws the same as a picture, for a browser
;;;   (play-report s n)               plays n games and says how they ended
;;;   (exact-odds s)                  says how games end on average, without luck
;;;   (best-strategy)                 makes the best strategy that there is
;;;   (compare s1 s2)                 shows where they differ, and what that is worth
;;;   (compare s1 s2 "chart.svg")     draws that as a picture
;;;   (tournament n s1 s2 ...)        lets strategies play n games with the same decks
;;;
;;; Ctrl-C ends a long play-report with what was played until then.
;;;
;;; All other names here begin with lab-, so that they can't meet one of yours.


;;; What is asked

;; The chart asks the strategy about hands of two and of three cards, with each
;; dealer's up card.  A hand is built from ranks, (a 10 3), and suits, (h s d).

(define lab-ranks '(a 2 3 4 5 6 7 8 9 10 j q k))

;; Each of these is the suits of three cards and of the up card.  Each suit is
;; missing from one hand and is the up card's in another; two hands are of one
;; suit only.  A hand of two cards takes the first two.

(define lab-suits
  '((h s d c) (s d c h) (d c h s) (c h s d) (h h h s) (c c c d)))

;; All ways to choose n of the ranks, the same one as often as you like.

(define (lab-choices n ranks)
  (cond ((= n 0) '(()))
        ((null? ranks) '())
        (else (append (map (lambda (choice) (cons (car ranks) choice))
                           (lab-choices (- n 1) ranks))
                      (lab-choices n (cdr ranks))))))

;; The order of the cards may count as well (reckless does not look at the last
;; one), so each card should be the last one once: (a 10 3) (10 3 a) (3 a 10).

(define (lab-rotations cards)
  (define (rotate n cards)
    (if (= n 0)
        '()
        (cons cards (rotate (- n 1) (append (cdr cards) (list (car cards)))))))
  (rotate (length cards) cards))

(define (lab-all-rotations choices)
  (if (null? choices)
      '()
      (append (lab-rotations (car choices)) (lab-all-rotations (cdr choices)))))

;; The game has two jokers if its deck says so (question 9).

(define (lab-jokers?)
  (and (lab-defined? 'make-ordered-deck)
       (member? 'joker (make-ordered-deck))))

(define (lab-card rank suit)
  (if (equal? rank 'joker) 'joker (word rank suit)))

;; Are these cards all in one deck?  No card twice, but up to two jokers.

(define (lab-possible? cards jokers)
  (cond ((null? cards) #t)
        ((equal? (car cards) 'joker)
         (and (< jokers 2) (lab-possible? (cdr cards) (+ jokers 1))))
        ((member (car cards) (cdr cards)) #f)
        (else (lab-possible? (cdr cards) jokers))))

;; Can the dealer show this card while the customer holds this possible hand?

(define (lab-shown? up-card hand)
  (if (equal? up-card 'joker)
      (lab-possible? (cons up-card hand) 0)
      (not (member up-card hand))))

;; The hands of these ranks, in this order: a list of pairs of the suit of the
;; up card that will be shown with the hand, and the hand.

(define (lab-hands ranks)
  (define (add-hand suits others)
    (let ((hand (map lab-card ranks suits)))
      (if (lab-possible? hand 0)
          (cons (cons (cadddr suits) hand) others)
          others)))
  (define (hands suits)
    (if (null? suits)
        '()
        (add-hand (car suits) (hands (cdr suits)))))
  (hands lab-suits))


;;; Where in the chart a hand belongs

;; A row is (hard 16), (soft 17) or (joker 18): a soft hand holds an ace that
;; counts 11.  The total is what your best-total says.

(define (lab-row ranks)
  (define (low-value rank)
    (cond ((member rank '(a joker)) 1)
          ((number? rank) rank)
          (else 10)))
  (define (low-total ranks)
    (if (null? ranks)
        0
        (+ (low-value (car ranks)) (low-total (cdr ranks)))))
  (let ((total (best-total (map lab-card ranks '(h s d)))))
    (cond ((member 'joker ranks) (list 'joker total))
          ((> total (low-total ranks)) (list 'soft total))
          (else (list 'hard total)))))

;; What belongs to one row, given all with their rows in front.

(define (lab-of-row row things-with-rows)
  (cond ((null? things-with-rows) '())
        ((equal? row (caar things-with-rows))
         (cons (cdar things-with-rows) (lab-of-row row (cdr things-with-rows))))
        (else (lab-of-row row (cdr things-with-rows)))))


;;; Asking

;; How many of these hands, which differ in their suits only, the strategy hits
;; when the dealer shows up-rank, and how many it stands on: a pair of numbers.

(define (lab-ask strategy hands up-rank)
  (define (ask hands hits stands)
    (if (null? hands)
        (cons hits stands)
        (let ((up-card (lab-card up-rank (caar hands)))
              (hand (cdar hands)))
          (cond ((not (lab-shown? up-card hand))
                 (ask (cdr hands) hits stands))
                ((strategy hand up-card)
                 (ask (cdr hands) (+ hits 1) stands))
                (else
                 (ask (cdr hands) hits (+ stands 1)))))))
  (ask hands 0 0))

;; A cell of the chart is a sentence of two words: h or s, what the strategy does
;; with most of the hands, and why it does something else with the others.

(define (lab-cell strategy groups up-rank)
  (let* ((answers (map (lambda (hands) (lab-ask strategy hands up-rank)) groups))
         (hits (apply + (map car answers)))
         (stands (apply + (map cdr answers))))
    (list (if (> hits stands) 'h 's)
          (cond ((or (= hits 0) (= stands 0)) 'sure)
                ((lab-all-split? answers) 'suits)
                (else 'cards)))))

(define (lab-all-split? answers)
  (cond ((null? answers) #t)
        ((or (= 0 (caar answers)) (= 0 (cdar answers))) #f)
        (else (lab-all-split? (cdr answers)))))

;; One column stands for 10, j, q and k, which count the same.  A strategy that
;; does not treat them the same has cells of its own kind there.

(define (lab-column strategy groups up-ranks)
  (lab-merged (map (lambda (up-rank) (lab-cell strategy groups up-rank)) up-ranks)))

(define (lab-merged cells)
  (define (all-alike? cells)
    (or (null? (cdr cells))
        (and (equal? (car cells) (cadr cells)) (all-alike? (cdr cells)))))
  (define (hits cells)
    (cond ((null? cells) 0)
          ((lab-hit? (car cells)) (+ 1 (hits (cdr cells))))
          (else (hits (cdr cells)))))
  (if (all-alike? cells)
      (car cells)
      (list (if (> (* 2 (hits cells)) (length cells)) 'h 's) 'tens)))

(define (lab-columns)
  (append '((2) (3) (4) (5) (6) (7) (8) (9) (10 j q k) (a))
          (if (lab-jokers?) '((joker)) '())))

;; The whole chart: a list of rows.  A row is its kind and its total, followed
;; by its cells.

(define (lab-chart strategy)

  (define ranks
    (if (lab-jokers?) (append lab-ranks '(joker)) lab-ranks))

  (define choices
    (lab-all-rotations (append (lab-choices 2 ranks) (lab-choices 3 ranks))))

  (define choices-with-rows
    (map (lambda (choice) (cons (lab-row choice) choice)) choices))

  (define columns (lab-columns))

  (define (make-row kind total groups)
    (append (list kind total)
            (map (lambda (up-ranks) (lab-column strategy groups up-ranks)) columns)))

  ;; A row without hands, such as soft 5, is left out.
  (define (make-rows kind total)
    (let ((choices (lab-of-row (list kind total) choices-with-rows)))
      (cond ((> total 21) '())
            ((null? choices) (make-rows kind (+ total 1)))
            (else (cons (make-row kind total (map lab-hands choices))
                        (make-rows kind (+ total 1)))))))

  (append (make-rows 'hard 2) (make-rows 'soft 2) (make-rows 'joker 2)))


;;; Showing the chart

(define (strategy-chart strategy . filename)
  (lab-check strategy)
  (lab-show-chart (lab-title strategy) (lab-chart strategy) filename))

(define (lab-show-chart title rows filename)
  (define (draw port)
    (lab-draw-chart title rows port))
  (cond ((not (null? filename)) (call-with-output-file (car filename) draw))
        ;; in a notebook
        ((show-svg (lambda () (call-with-output-string draw))
                   (lambda () (with-output-to-string (lambda () (lab-print-chart title rows))))))
        (else (lab-print-chart title rows))))

;; The strategy's name, or what has made it: (stop-at 17).

(define (lab-title strategy)
  (let ((name (format "~a" (procedure-name strategy))))
    (if (> (string-length name) 60)
        (string-append (substring name 0 57) "...")
        name)))

;; A cell looks like hit, like stand, or, if it has a mark, like depends.

(define (lab-look cell)
  (cond ((not (eq? (cadr cell) 'sure)) 'depends)
        ((lab-hit? cell) 'hit)
        (else 'stand)))

(define (lab-hit? cell)
  (eq? (car cell) 'h))

(define (lab-mark cell)
  (cadr (assq (cadr cell) '((sure " ") (suits "~") (cards "*") (tens "+")))))

(define (lab-letter cell)
  (if (lab-hit? cell) "H" "S"))

;; Cells of compare have a text of their own, as third word, and need more room.

(define (lab-text cell)
  (if (null? (cddr cell))
      (string-append (lab-mark cell) (lab-letter cell))
      (caddr cell)))

(define (lab-cell-width rows)
  (if (or (null? rows) (null? (cddr (caddar rows)))) 4 6))

;; The legend is a list of looks, each with a sign and what it means: of the
;; marks, those that the chart shows.

(define (lab-legend rows)
  (define (shown? reason)
    (lab-any? (lambda (row)
                (lab-any? (lambda (cell) (eq? (cadr cell) reason)) (cddr row)))
              rows))
  (append '((hit "H" "hit")
            (stand "S" "stand"))
          (if (shown? 'suits) '((depends "~" "depends on the suits")) '())
          (if (shown? 'cards) '((depends "*" "depends on the cards or their order")) '())
          (if (shown? 'tens) '((depends "+" "depends on 10, j, q or k of the dealer")) '())
          (if (lab-any? (lambda (row)
                          (lab-any? (lambda (cell) (member (lab-text cell) '("H 0" "S 0" "* 0"))) (cddr row)))
                        rows)
              '((depends "0" "less than 0.05 in 1000 games"))
              '())))

(define (lab-any? true? things)
  (cond ((null? things) #f)
        ((true? (car things)) #t)
        (else (lab-any? true? (cdr things)))))

;; What stands above a column: jo for the joker, since columns are narrow.

(define (lab-heading up-ranks)
  (if (eq? (car up-ranks) 'joker)
      "jo"
      (word->string (car up-ranks))))


;;; Printing the chart

;; Blue and orange look different to everybody, and one of them is darker.

(define (lab-colour-numbers look)
  (cadr (assq look '((hit "44;97") (stand "43;30") (depends "47;30")))))

;; On a terminal the cells are coloured, unless its user has set NO_COLOR.
;; Terminals take colours as ESC [ number ; number m.

(define (lab-coloured text look)
  (if (and (terminal-port?) (not (get-environment-variable "NO_COLOR")))
      (let ((escape (string (integer->char 27))))
        (string-append escape "[" (lab-colour-numbers look) "m" text escape "[0m"))
      text))

(define (lab-print-chart title rows)

  (define width (lab-cell-width rows))

  (define (print-cell cell)
    (display (lab-coloured (string-pad-left (lab-text cell) width) (lab-look cell))))

  (define (print-head kind)
    (display (align kind 6))
    (for-each (lambda (up-ranks)
                (display (string-pad-left (lab-heading up-ranks) width)))
              (lab-columns))
    (newline))

  (define (print-rows rows kind)
    (cond ((not (null? rows))
           (if (not (equal? kind (caar rows)))
               (print-head (caar rows)))
           (display (align (cadar rows) 4))
           (display "  ")
           (for-each print-cell (cddar rows))
           (newline)
           (print-rows (cdr rows) (caar rows)))))

  (define (print-meaning look sign meaning)
    (display "  ")
    (display (lab-coloured (string-append " " sign " ") look))
    (show (string-append " " meaning)))

  (show title)
  (show "         the dealer shows")
  (print-rows rows 'none)
  (for-each (lambda (entry) (apply print-meaning entry)) (lab-legend rows)))


;;; Drawing the chart

;; The picture is an SVG file: text that says where each rectangle and each
;; letter stands, counted in points from the upper left corner.

(define (lab-draw-chart title rows port)

  (define width (if (= (lab-cell-width rows) 4) 34 54))   ; of a cell
  (define half (- (quotient width 2) 1))
  (define height 24)
  (define left 60)
  (define margin 12)
  (define legend (lab-legend rows))

  (define picture-width
    (+ left margin (* width (length (lab-columns)))))

  (define picture-height
    (+ 44
       (* height (length rows))
       (* (+ height 8) (lab-kinds rows 'none))
       margin
       (* (+ height 2) (length legend))
       margin))

  (define (write-tag . pieces)
    (for-each (lambda (piece) (display piece port)) pieces)
    (newline port))

  (define (draw-text x y attributes text)
    (write-tag "<text x='" x "' y='" y "' " attributes ">" (lab-escaped text) "</text>"))

  (define (draw-box x y look text)
    (let ((colours (cdr (assq look '((hit "#0072b2" "white")
                                     (stand "#e69f00" "black")
                                     (depends "#dddddd" "black"))))))
      (write-tag "<rect x='" x "' y='" y "' width='" (- width 2) "' height='" (- height 2)
                 "' rx='3' fill='" (car colours) "'/>")
      (draw-text (+ x half) (+ y 16)
                 (string-append "text-anchor='middle' fill='" (cadr colours) "'")
                 text)))

  (define (draw-cells cells x y)
    (cond ((not (null? cells))
           (draw-box x y (lab-look (car cells))
                     (lab-text (car cells)))
           (draw-cells (cdr cells) (+ x width) y))))

  (define (draw-head columns x y)
    (cond ((not (null? columns))
           (draw-text (+ x half) y "class='ink' text-anchor='middle' font-weight='bold'"
                      (lab-heading (car columns)))
           (draw-head (cdr columns) (+ x width) y))))

  ;; Draws the rows from y on down, and gives the y below the last one.
  (define (draw-rows rows kind y)
    (cond ((null? rows) y)
          ((not (equal? kind (caar rows)))
           (draw-text margin (+ y 24) "class='ink' font-weight='bold'" (word->string (caar rows)))
           (draw-head (lab-columns) left (+ y 24))
           (draw-rows rows (caar rows) (+ y height 8)))
          (else
           (draw-text 44 (+ y 16) "class='ink' text-anchor='end'" (number->string (cadar rows)))
           (draw-cells (cddar rows) left y)
           (draw-rows (cdr rows) kind (+ y height)))))

  (define (draw-legend legend y)
    (cond ((not (null? legend))
           (draw-box left y (caar legend) (cadar legend))
           (draw-text (+ left width 8) (+ y 16) "class='ink'" (caddar legend))
           (draw-legend (cdr legend) (+ y height 2)))))

  (write-tag "<svg xmlns='http://www.w3.org/2000/svg' width='" picture-width
             "' height='" picture-height "' font-family='sans-serif' font-size='14'>")
  (write-tag "<title>" (lab-escaped title) ": when it hits and when it stands</title>")
  ;; The paper is dark where the reader's screen is.
  (write-tag "<style>.paper { fill: white } .ink { fill: #222222 } "
             "@media (prefers-color-scheme: dark) "
             "{ .paper { fill: #1c1c1c } .ink { fill: #eeeeee } }</style>")
  (write-tag "<rect class='paper' width='100%' height='100%'/>")
  (draw-text margin 22
             (string-append "class='ink' font-weight='bold' font-size='"
                            (number->string (min 17 (quotient 600 (string-length title))))
                            "'")
             title)
  (draw-text left 44 "class='ink'" "the dealer shows")
  (draw-legend legend (+ margin (draw-rows rows 'none 44)))
  (write-tag "</svg>"))

;; How many kinds of rows there are: hard, soft, joker.

(define (lab-kinds rows kind)
  (cond ((null? rows) 0)
        ((equal? kind (caar rows)) (lab-kinds (cdr rows) kind))
        (else (+ 1 (lab-kinds (cdr rows) (caar rows))))))

;; In SVG some characters begin something else, and have names instead.

(define (lab-escaped text)
  (apply string-append
         (map (lambda (char)
                (case char
                  ((#\<) "&lt;")
                  ((#\>) "&gt;")
                  ((#\&) "&amp;")
                  (else (string char))))
              (string->list text))))


;;; Playing

;; twenty-one says who has won, and not how.  But a customer who asked for a
;; card and was not asked again is above 21: so watch what the strategy answers.

(define (play-report strategy n)

  (define (play)
    (define hit? #f)
    (define (watched-strategy hand up-card)
      (set! hit? (strategy hand up-card))
      hit?)
    (let ((result (twenty-one watched-strategy)))
      (cond ((= result 1) 'win)
            ((= result 0) 'tie)
            (hit? 'bust)
            (else 'loss))))

  (lab-check strategy)
  (if (not (and (integer? n) (> n 0)))
      (error "play-report: how many games? " n))
  (lab-print-report (parallel-tally play n lab-print-report)))

;; The mean of n games is itself a matter of luck.  In 95 of 100 such reports the
;; true mean lies within 1.96 standard errors of the mean that was found.  The
;; tally, ((bust . 288) (win . 413) ...), has no games if Ctrl-C came too early.

(define (lab-print-report tally)
  (if (not (null? tally))
      (lab-print-counts (lab-times 'win tally)
                        (lab-times 'tie tally)
                        (lab-times 'loss tally)
                        (lab-times 'bust tally))))

(define (lab-times result tally)
  (let ((entry (assq result tally)))
    (if entry (cdr entry) 0)))

(define (lab-print-counts wins ties stood-losses busts)

  (define losses (+ stood-losses busts))
  (define n (+ wins ties losses))
  (define mean (/ (- wins losses) n))
  (define deviation (sqrt (- (/ (+ wins losses) n) (* mean mean))))
  (define error-95 (/ (* 1.96 deviation) (sqrt n)))

  (define (print-count name number)
    (display (align name 9))
    (display (align number 9))
    (display (align (/ (* 100 number) n) 8 1))
    (show " %"))

  (define (print-decimal text number)
    (display text)
    (display (align number 8 4)))

  (display (align "games" 9))
  (show (align n 9))
  (print-count "wins" wins)
  (print-count "ties" ties)
  (print-count "losses" losses)
  (print-count "  busts" busts)
  (print-decimal "mean      " mean)
  (newline)
  (print-decimal "95 % sure between" (- mean error-95))
  (print-decimal " and" (+ mean error-95))
  (newline))


;;; Counting instead of playing

;; exact-outcomes goes through all games, each with its probability, and asks the
;; strategy, with cards of the deck, whatever may make a difference.  Its value is
;; the chances of a win, a tie, a loss and a bust, and the number of questions.

(define (exact-odds strategy)
  (lab-check strategy)
  (if (not (lab-defined? 'make-ordered-deck))
      (error "exact-odds: make-ordered-deck is not defined yet; load twenty-one.scm first"))
  (apply lab-print-odds
         (exact-outcomes strategy best-total (make-ordered-deck))))

(define (lab-print-odds win tie loss bust questions)

  (define mean (- win loss))

  (define (print-share name share)
    (display (align name 9))
    (display (align (* 100 share) 10 5))
    (show " %"))

  (define (print-number name number)
    (display (align name 9))
    (show (align number 13 10)))

  (display (align "asked" 9))
  (show (string-append (number->string questions) " times"))
  (print-share "wins" win)
  (print-share "ties" tie)
  (print-share "losses" loss)
  (print-share "  busts" bust)
  (print-number "mean" mean)
  ;; of one game; that of the mean of n games is this, divided by the root of n
  (print-number "deviation" (sqrt (+ (* 4 win loss) (* tie (+ win loss))))))


;; The best strategy looks at all cards of its hand: they are missing from the deck.

(define (best-strategy)
  (let ((deck (make-ordered-deck)))
    (lambda (hand up-card) (optimal-answer hand up-card deck))))


;;; Comparing

;; Where s1 does not do what s2 does, the chart shows what s1 does, and what it
;; gains by that in 1000 games; what it loses is negative.  The gains of all cells
;; are the difference between the means of s1 and s2.

(define (compare s1 s2 . filename)
  (lab-check s1)
  (lab-check s2)
  (let* ((differences (strategy-differences s1 s2 best-total (make-ordered-deck)))
         (gain (apply + (map (lambda (entry) (list-ref entry 4)) differences))))
    (if (null? differences)
        (show (string-append (lab-title s1) " does what " (lab-title s2) " does"))
        (lab-show-chart (string-append (lab-title s1) ", not " (lab-title s2)
                                       ": gains " (lab-signed gain) " in 1000 games")
                        (lab-difference-rows differences)
                        filename))))

;; In a chart 0 stands for what is nearly nothing: less than 0.05 in 1000 games.

(define (lab-signed gain)
  (let ((tenths (inexact->exact (round (* 10000 (abs gain))))))
    (if (= tenths 0)
        "0"
        (string-append (if (< gain 0) "-" "+")
                       (number->string (quotient tenths 10))
                       "."
                       (number->string (remainder tenths 10))))))

;; An entry is (hard 16 7 h -.0012): a kind, a total, the dealer's card, an answer
;; and a gain.  The rows are those of a chart; cells without an entry are empty.

(define (lab-difference-rows entries)

  (define (up-value up-ranks)
    (cond ((eq? (car up-ranks) 'a) 1)
          ((eq? (car up-ranks) 'joker) 11)
          (else (car up-ranks))))

  (define (cell row up)
    (cond ((null? row) '(s same ""))
          ((not (= up (caddar row))) (cell (cdr row) up))
          (else (let ((answer (cadddr (car row)))
                      (gain (lab-signed (list-ref (car row) 4))))
                  (list (if (eq? answer 'both) 's answer)
                        (if (eq? answer 'both) 'cards 'sure)
                        (string-append (cadr (assq answer '((h "H") (s "S") (both "*"))))
                                       (if (equal? gain "0") " 0" gain)))))))

  (define (make-row kind total)
    (let ((row (keep (lambda (entry)
                       (and (eq? (car entry) kind) (= (cadr entry) total)))
                     entries)))
      (if (null? row)
          '()
          (list (append (list kind total)
                        (map (lambda (up-ranks) (cell row (up-value up-ranks)))
                             (lab-columns)))))))

  (define (make-rows kind total)
    (if (> total 21)
        '()
        (append (make-row kind total) (make-rows kind (+ total 1)))))

  (append (make-rows 'hard 2) (make-rows 'soft 2) (make-rows 'joker 2)))


;;; Playing against each other

;; All strategies play with the same decks, so less of a difference between two of
;; them is luck.

(define (tournament n . strategies)
  (for-each lab-check strategies)
  (if (not (and (integer? n) (> n 0)))
      (error "tournament: how many games? " n))
  (if (null? strategies)
      (error "tournament: of which strategies?"))
  (display (tournament-table n
                             (map lab-title strategies)
                             strategies
                             best-total
                             (make-ordered-deck))))


;;; What the lab needs

(define (lab-defined? name)
  (environment-bound? (the-environment) name))

(define (lab-check strategy)
  (define (need name)
    (if (not (lab-defined? name))
        (error "strategy-lab.scm: " name " is not defined yet; load twenty-one.scm and your own best-total first")))
  (need 'best-total)
  (need 'twenty-one)
  (if (not (procedure? strategy))
      (error "strategy-lab.scm: a strategy is a procedure, and not " strategy)))
