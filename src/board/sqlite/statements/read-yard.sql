-- read-yard: slots of the yard and the revision of its limits.
select slots, revision from yard;
