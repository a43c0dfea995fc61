import type { Run } from '../../board/index.ts'
import { createLogMask, createValueMask, type LogMask, type Redactor } from '../../kernel/index.ts'
import type { YardView } from '../yard-view.ts'

/** The mask for what this run wrote: everything that is masked anywhere, and the secrets that only it was given. */
export function maskOf(
  { yard, mask }: { readonly yard: Pick<YardView, 'secretsOf'>; readonly mask: Redactor },
  run: Pick<Run, 'settings'>,
): Redactor {
  const own = yard.secretsOf(run)
  if (own.length === 0) return mask
  const maskOwn = createValueMask(own)
  return (text) => mask(maskOwn(text))
}

/** The same for ranges of its log, where a masked secret stays as long as it was. */
export function logMaskOf(
  {
    yard,
    knownSecrets,
  }: { readonly yard: Pick<YardView, 'secretsOf'>; readonly knownSecrets: () => readonly string[] },
  run: Pick<Run, 'settings'>,
): LogMask {
  return createLogMask([...knownSecrets(), ...yard.secretsOf(run)])
}
