-- taken-slots: numbers of the slots that runs occupy, those of other machines included, in ascending order.
select slot from run where outcome is null order by slot;
