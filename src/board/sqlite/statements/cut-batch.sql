-- cut-batch: nothing new of it starts any more; the first reason stays.
-- in   :batch :cut :text
-- out  1 when it was not cut
update batch set cut = :cut, cut_text = :text where id = :batch and cut is null;
