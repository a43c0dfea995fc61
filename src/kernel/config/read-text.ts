import { readFileSync, statSync } from 'node:fs'

/** Larger files are no configuration or batch; reading one by mistake must not fill the memory. */
const largestBytes = 256 * 1024 * 1024

/** A file as UTF-8 text without its byte order mark, or why it cannot be read, in words that follow "cannot be read". */
export function readText(
  file: string,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string } {
  try {
    const stat = statSync(file)
    if (stat.isDirectory()) return { ok: false, why: 'it is a folder' }
    if (stat.size > largestBytes) return { ok: false, why: `it has ${stat.size} bytes` }
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)) }
  } catch (cause) {
    return { ok: false, why: wordsFor(cause) }
  }
}

function wordsFor(cause: unknown): string {
  const code = (cause as { code?: unknown }).code
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EACCES') return 'its permissions forbid it'
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'it is not UTF-8 text'
  return cause instanceof Error ? cause.message : String(cause)
}
