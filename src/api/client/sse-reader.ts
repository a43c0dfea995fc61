/** One message of a server-sent stream. `event` is `message` where the stream names none. */
export interface SseMessage {
  readonly event: string
  readonly id: string | undefined
  readonly data: string
}

/**
 * The messages in `chunks`, whole ones only: what a cut connection left half is dropped, because the stream is read
 * again from the last id. Comments (heartbeats) are skipped. Ends with the stream.
 */
export async function* readSse(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<SseMessage> {
  const decoder = new TextDecoder()
  let pending = ''
  for await (const chunk of chunks) {
    pending += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const blocks = pending.split(/\r?\n\r?\n/)
    pending = blocks.pop() ?? ''
    for (const block of blocks) {
      const message = parseBlock(block)
      if (message !== undefined) yield message
    }
  }
}

function parseBlock(block: string): SseMessage | undefined {
  let event = 'message'
  let id: string | undefined
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ''] = /^([a-z]+):? ?(.*)$/s.exec(line) ?? []
    if (field === 'event') event = value
    else if (field === 'id') id = value
    else if (field === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { event, id, data: data.join('\n') }
}
