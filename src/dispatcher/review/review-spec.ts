import type { TaskSettings, TaskSpec } from '../../board/index.ts'

/**
 * The texts of a card for whoever reviews it: a prompt whatever it was, without the settings that judge the author's work. What
 * is left says where to look, and in which environment.
 */
export function asReview(spec: TaskSpec): TaskSpec {
  const { title, dir, repo, repoBranch, matrix, labels } = spec
  return {
    ...withoutJudgement(spec),
    title,
    dir,
    prompt: 'Review it.',
    ...(repo === undefined ? {} : { repo }),
    ...(repoBranch === undefined ? {} : { repoBranch }),
    ...(matrix === undefined ? {} : { matrix }),
    ...(labels === undefined ? {} : { labels }),
  }
}

/** Of a card or of the defaults of its batch. */
export function withoutJudgement<Settings extends TaskSettings>(settings: Settings): TaskSettings {
  const { env, workspace, memoryBytes, logBytes } = settings
  return {
    ...(env === undefined ? {} : { env }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(logBytes === undefined ? {} : { logBytes }),
  }
}

/** What the author was to do. */
export function workText({ prompt, run }: TaskSpec): string {
  if (prompt !== undefined) return prompt
  return typeof run === 'string' ? run : (run ?? []).join(' ')
}
