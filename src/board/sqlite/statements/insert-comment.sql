-- insert-comment: a remark on a card.
-- in   :task :nowMs :by :text
insert into comment (task, at_ms, by, text) values (:task, :nowMs, :by, :text);
