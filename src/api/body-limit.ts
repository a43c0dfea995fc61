/** Largest body that is read: fits a batch of some thousand tasks and prompts of several megabytes (C179). */
export const mostBodyBytes = 64 * 1024 * 1024
