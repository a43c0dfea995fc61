import { readFileSync } from 'node:fs'
import { type ParsedChatSettings, parseChatSettings } from '../../runs/index.ts'

const largestBytes = 1_024 * 1_024

/** The file of `--settings`; every fault of it with its name. */
export function readSettings(file: string): ParsedChatSettings {
  const text = readText(file)
  if (typeof text !== 'string') return { ok: false, faults: [`--settings ${file} ${text.why}`] }
  const parsed = parseChatSettings(text)
  return parsed.ok ? parsed : { ok: false, faults: parsed.faults.map((fault) => `--settings ${file}: ${fault}`) }
}

function readText(file: string): string | { readonly why: string } {
  try {
    const bytes = readFileSync(file)
    if (bytes.byteLength > largestBytes) return { why: `has ${bytes.byteLength} bytes, more than ${largestBytes}` }
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (fault) {
    const { code, message } = fault as NodeJS.ErrnoException
    if (code === 'ENOENT') return { why: 'does not exist' }
    return { why: code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8 text' : `cannot be read: ${message}` }
  }
}
