; minischeme: allow unbound
(DEFINE (Shout) 'FOLDED)
