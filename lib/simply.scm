;;; simply.scm: the words and sentences of Simply Scheme
;;;
;;; All of it is part of minischeme: a program that loads this file needs
;;; nothing from it.  Try (first 'hello) or ,help first at the prompt.
