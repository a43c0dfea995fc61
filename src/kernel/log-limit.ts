/**
 * How much of an attempt's log is kept on disk where nothing says it: the first 1 MiB and the last 8 MiB (design section 6,
 * "Limits"). The beginning says with what it was started, the end why it failed; and a thousand attempts that print
 * without pause are 9 GB, which a disk bears until their directories are removed.
 */
export const builtInLogBytes = 9 * 1_024 * 1_024

/**
 * The least that `log_limit` may say: what is told of an end is read from the last 64 KiB, and where the middle of a file
 * cannot be freed the end is kept in two halves.
 */
export const leastLogBytes = 256 * 1_024
