import type { Replay } from '../../main.ts'

/** `dev replay --json`: one document, the recorded lines as they are. */
export function replayJson({ file, runsInFile, start, turns, end, damage }: Replay, turn: number | undefined) {
  return {
    file,
    runs_in_file: runsInFile,
    whole: damage === null,
    damage,
    start,
    turns: turn === undefined ? turns : turns.filter((one) => one.turn === turn),
    end,
  }
}
