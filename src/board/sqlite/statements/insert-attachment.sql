-- insert-attachment: a file of a card; one of the same name from the same side is replaced.
-- in   its fields
-- out  its id
insert into attachment (task, run, name, media_type, bytes, sha256, by, at_ms)
values (:task, :run, :name, :mediaType, :bytes, :sha256, :by, :nowMs)
on conflict (task, ifnull(run, 0), name) do update
   set media_type = excluded.media_type, bytes = excluded.bytes, sha256 = excluded.sha256, by = excluded.by,
       at_ms = excluded.at_ms
returning id;
