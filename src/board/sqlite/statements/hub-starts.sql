-- hub-starts: starts of hubs since a moment, newest first; one that ended uncleanly has no stopped_at_ms.
-- in   :sinceMs :limit
select * from hub where started_at_ms >= :sinceMs order by started_at_ms desc limit :limit;
