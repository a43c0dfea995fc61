import { loopNotePrefix } from './loop-note.ts'

/** What the loop says to the model by itself. Each begins so that everybody can tell it from what a user has said. */
const note = (says: string): string => `${loopNotePrefix}${says}`

export const notices = {
  goOn: note('your reply was cut off at its limit. Go on exactly where it stopped; repeat nothing.'),
  callCut: note(
    'your last tool call was cut off at the limit of a reply, so nothing of it was run. Make it shorter, as by writing a ' +
      'long file in several parts.',
  ),
  empty: note('your last reply was empty. Go on with the task, or finish it.'),
  callMissing: note('your last reply announced a tool call and held none. Make the call, or answer without one.'),
  thoughtOnly: note('your last reply held thoughts and no answer. Say it, or call the tool that you had in mind.'),
  chanting: note('your last reply said the same over and over and was thrown away. Say it once, or do something else.'),
  notFinished: (endings: readonly string[]) =>
    note(
      `your task is not finished until you say so with a tool: ${endings.join(', ')}. Do now what is left of it, or call ` +
        'complete with the result. If you cannot go on, call block and say what you need.',
    ),
  doesNotFit: (says: string) =>
    note(`your answer does not have the form that was asked for: ${says}. Give the whole answer again in that form.`),
  /** `used` and `of` as people read them, as `72 of 90 turns`. */
  nearEnd: (used: string) => note(`${used} are used. Come to an end: finish what matters most and leave the rest.`),
  checkpoint: (left: string) =>
    note(
      `only ${left} of your time are left. Save what you have now, in files that others can go on from, and finish. ` +
        'Begin nothing new.',
    ),
  lastWords: (why: string) =>
    note(
      `${why}. This is your last reply, and no tool can be called any more. Say in a few sentences what is done, what is ` +
        'open, and what somebody who goes on has to know.',
    ),
} as const
