;;; obj.scm: the course's objects
;;;
;;; define-class, instantiate, ask and usual are part of minischeme: a program
;;; that loads this file needs nothing from it.
