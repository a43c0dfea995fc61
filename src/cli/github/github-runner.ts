/** The GitHub runner that we work under, as its environment describes it. */
export interface GithubRunner {
  /** Markdown that this file holds at the end of the step is shown on the page of the workflow; absent on old servers. */
  readonly summaryFile: string | undefined
  /** Absolute top folder of the checkout: paths in annotations are below it. */
  readonly workspace: string | undefined
}

/** Recognises a runner of GitHub Actions; undefined anywhere else. */
export function readGithubRunner(env: Readonly<Record<string, string | undefined>>): GithubRunner | undefined {
  if (env.GITHUB_ACTIONS !== 'true') return undefined
  return { summaryFile: given(env.GITHUB_STEP_SUMMARY), workspace: given(env.GITHUB_WORKSPACE) }
}

const given = (text: string | undefined): string | undefined => (text === '' ? undefined : text)
