-- clear-lanes: before the lanes in force are written.
delete from lane;
