/** The last of those that wait for each key. */
const turns = new Map<string, Promise<unknown>>()

/** Does `act` when all that were asked for under the same key before have ended, well or not: of this process, one at a time. */
export async function inTurn<T>(key: string, act: () => Promise<T>): Promise<T> {
  const before = turns.get(key)
  const turn = (async () => {
    await before?.catch(() => {}) // told to whoever asked
    return await act()
  })()
  turns.set(key, turn)
  try {
    return await turn
  } finally {
    if (turns.get(key) === turn) turns.delete(key)
  }
}
