import { defaultBoard, type NewTaskBody } from '../contract/index.ts'
import type { YardView } from '../yard-view.ts'

/** The board of what names none: the one whose repository holds its folder, or is the one that was found around it. */
export function boardAround(yard: Pick<YardView, 'boardOf'>, { dir, repo }: Pick<NewTaskBody, 'dir' | 'repo'>): string {
  return yard.boardOf(dir) ?? (repo === undefined ? null : yard.boardOf(repo)) ?? defaultBoard
}
