-- is-file-used: whether a file of the attachment store belongs to anything.
-- in   :sha256
-- out  used, 1 or 0
select exists (select 1 from attachment where sha256 = :sha256)
    or exists (select 1 from change where patch_sha256 = :sha256) as used;
