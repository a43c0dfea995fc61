/**
 * The statuses of a card in the words of people (files-and-cli, "Words for people"): what the hub's messages and the
 * command line's listings both say. By status, as the API names it.
 */
export const statusWords = {
  triage: 'draft',
  todo: 'waiting',
  ready: 'ready',
  running: 'running',
  review: 'needs you',
  blocked: 'needs you',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
} as const
