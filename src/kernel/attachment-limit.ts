/** Of a file that is given with a task or handed back by an attempt, by whatever way it comes (C92). */
export const mostAttachmentBytes = 25 * 1_024 * 1_024
