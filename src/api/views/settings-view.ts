import type { Resolved, Task, TaskSettings } from '../../board/index.ts'
import { isFields, isSecretName, maskText, type Redactor } from '../../kernel/index.ts'
import type { SettingView } from '../contract/index.ts'
import { writtenSettings } from './written-settings.ts'

/** What a task may change where nobody says it, in the words in which it would be said. */
const anything = ['**'] as const

/** Each setting under its public name, as it would be written in a file, with where it comes from. */
export function viewSettings(
  { mask }: { readonly mask: Redactor },
  { task, resolved }: { readonly task: Task; readonly resolved: Resolved },
): readonly SettingView[] {
  const masked = Object.fromEntries(
    Object.entries(resolved.env.value).map(([name, value]) => [name, isSecretName(name) ? maskText : mask(value)]),
  )
  const shown: Resolved = {
    ...resolved,
    env: { ...resolved.env, value: masked },
    mayChange: { ...resolved.mayChange, value: resolved.mayChange.value ?? anything },
  }
  return [
    { field: 'lane', value: task.lane, from: 'task' },
    ...Object.entries(shown).flatMap(([name, { value, from }]) => {
      const one: TaskSettings = { [name]: value }
      return Object.entries(writtenSettings(one)).flatMap(([field, written]) =>
        // Its two limits may come from different places.
        field === 'budget' && isFields(written)
          ? Object.entries(written).map(([part, value]) => ({ field: `${field}.${part}`, value, from }))
          : [{ field, value: written, from }],
      )
    }),
  ]
}
