-- insert-change: what an attempt changed, once, while it is not settled.
-- in   its fields, :run :fence
-- out  1 when it is the first
insert into change (run, repo, branch, base_ref, base_commit, head_commit, commits, file_count, insertions, deletions, files,
                    left_overs, outside, patch_sha256, patch_bytes, notes)
select id, :repo, :branch, :baseRef, :baseCommit, :headCommit, :commits, :fileCount, :insertions, :deletions, :files,
       :leftOvers, :outside, :patchSha256, :patchBytes, :notes
  from run
 where id = :run and fence = :fence and phase in ('started', 'exited')
on conflict (run) do nothing;
