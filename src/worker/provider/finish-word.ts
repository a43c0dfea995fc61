/** What other servers call the ends that Chat Completions has words for: Together, Z.ai, Mistral, the interface before tools. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['eos', 'stop'],
  ['function_call', 'tool_calls'],
  ['sensitive', 'content_filter'],
  ['model_length', 'model_context_window_exceeded'],
])

/** A finish reason in the words of Chat Completions, as far as they are known. */
export function finishWord(reason: string): string {
  const word = reason.toLowerCase()
  return otherNames.get(word) ?? word
}

/** The provider failed in the middle, and that is all that it says (OpenRouter and Mistral; Z.ai). */
export const isFailureWord = (word: string): boolean => word === 'error' || word === 'network_error'
