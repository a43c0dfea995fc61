-- reach-run: a signal of ours reached a live process of it, which its end will not say otherwise.
-- in   :run :fence
update run set stop_delivered = 1 where id = :run and fence = :fence and outcome is null;
