(define included-in-library 'included)
