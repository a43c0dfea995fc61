import { schemaLine } from './editor-schemas.ts'

export interface ConfigFindings {
  readonly slots: number
  /** `$OPENAI_BASE_URL`, where the user has one. */
  readonly baseUrl: string | undefined
  /** `$OPENAI_MODEL`, where the user has one. */
  readonly model: string | undefined
  /** A batch on the rehearsal provider is written too: it needs its account and lane. */
  readonly withRehearsal: boolean
}

/** Where the files of `init --batch` expect `yardmaster dev rehearsal`. */
export const rehearsalPort = 8123

/** A first yardmaster.yaml, made of what was found. */
export function configTemplate({ slots, baseUrl, model, withRehearsal }: ConfigFindings): string {
  const chat = `chat: { uses: chat, account: openai, model: ${model ?? 'NAME'} }`
  return `${[
    schemaLine('config'),
    '# The yard: who may work, how, and how much. Every key is optional; all of them: yardmaster schema config',
    `slots: ${slots}   # workers at once over all lanes`,
    'accounts:',
    `  openai: { base_url: "${baseUrl ?? 'https://api.openai.com/v1'}", key: { env: OPENAI_API_KEY } }`,
    ...(withRehearsal
      ? [
          `  rehearsal: { base_url: "http://127.0.0.1:${rehearsalPort}/v1", key: none }   # plays a script, costs nothing`,
        ]
      : []),
    'lanes:',
    '  command: { uses: command }   # for `run`; for `prompt`:',
    model === undefined ? `  # ${chat}   # a model that your account knows` : `  ${chat}`,
    ...(withRehearsal ? ['  rehearsal: { uses: chat, account: rehearsal, model: rehearsal }'] : []),
    '# boards:   # one per project; its folder picks it. Prompts get a worktree of repo, and done means that the check passes',
    '#   main: { repo: ., check: npm test, setup: npm ci }',
  ].join('\n')}\n`
}
