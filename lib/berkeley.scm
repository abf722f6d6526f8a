;;; berkeley.scm: the course's additions to Scheme
;;;
;;; All of it is part of minischeme: a program that loads this file needs
;;; nothing from it.
