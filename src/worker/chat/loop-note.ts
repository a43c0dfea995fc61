/**
 * What every message begins with that the turn loop puts into a conversation by itself: a nudge, a reminder, news of the
 * board. So whoever reads the conversation can tell it from what a user has said.
 */
export const loopNotePrefix = 'Note of the program that runs you: '

/** Whether a text of the role `user` is one of the loop's own. */
export const isLoopNote = (text: string): boolean => text.startsWith(loopNotePrefix)
