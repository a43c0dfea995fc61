/** Largest body that is read: fits a batch of some thousand tasks and prompts of several megabytes (C179). */
export const mostBodyBytes = 64 * 1024 * 1024
/** Largest file of a board; it takes five times its size of memory for some seconds. Larger ones move by backup and restore. */
export const mostBoardFileBytes = 256 * 1024 * 1024
/** Largest body of an attempt's own call: a result of 64 KiB and data of 256 KiB, however they are escaped. */
export const mostRunBodyBytes = 2 * 1024 * 1024
