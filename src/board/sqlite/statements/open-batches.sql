-- open-batches: batches without a verdict, oldest first.
select * from batch where ended_at_ms is null order by id;
