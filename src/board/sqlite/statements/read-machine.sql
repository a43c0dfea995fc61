-- read-machine: the machine that works this home; null until a hub of a program that keeps it has started here.
select machine from yard;
