-- changes-of: what some attempts changed.
-- in   :runs (ids, a JSON list)
select change.* from json_each(:runs) as asked join change on change.run = asked.value;
