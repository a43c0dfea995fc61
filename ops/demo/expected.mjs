// How every row of the demo must end. `attempts` counts processes that were started for it.
export const expectedRows = {
  letter: { status: 'done', outcome: 'done', attempts: 1 },
  survey: { status: 'done', outcome: 'done', attempts: 1 },
  count: { status: 'done', outcome: 'done', attempts: 1, says: '1000' },
  broken: { status: 'failed', outcome: 'failed', attempts: 1, says: 'cart.test: expected 200, got 401' },
  'busy-twice': { status: 'done', outcome: 'done', attempts: 3, says: 'served at the third try' },
  'busy-for-ever': { status: 'blocked', outcome: 'tempfail', attempts: 5, says: 'closed for maintenance' },
  killed: { status: 'failed', outcome: 'killed', attempts: 1, says: 'about to be killed' },
  hangs: { status: 'failed', outcome: 'timed_out', attempts: 1, says: 'started helper' },
  bytes: { status: 'done', outcome: 'done', attempts: 1, says: 'caf' },
  pick: { status: 'done', outcome: 'done', attempts: 1, says: '21' },
  double: { status: 'done', outcome: 'done', attempts: 1, says: '42' },
  tell: { status: 'done', outcome: 'done', attempts: 1, says: '42' },
  'rate-limited': { status: 'done', outcome: 'done', attempts: 2 },
}

/**
 * What is not as meant, one sentence for each row; an empty list when all is well. `tasks` are the tasks of the batch's
 * report as the API answers it.
 */
export function findWrongRows(tasks) {
  const found = new Map(tasks.map((task) => [task.key, task]))
  const wrong = Object.entries(expectedRows).flatMap(([key, expected]) => compareRow(key, expected, found.get(key)))
  const unexpected = tasks
    .filter(({ key }) => expectedRows[key] === undefined)
    .map(({ key }) => `${key} was not asked for`)
  return [...wrong, ...unexpected]
}

function compareRow(key, expected, task) {
  if (task === undefined) return [`${key} is missing from the report`]
  const last = task.last_run
  const said = `${last?.result ?? ''}\n${last?.output_tail ?? ''}`
  const facts = { status: task.status, outcome: last?.outcome, attempts: task.runs }
  const wrong = Object.entries(facts).filter(([name, value]) => expected[name] !== value)
  const sentences = wrong.map(([name, value]) => `${key}: ${name} is ${value}, meant was ${expected[name]}`)
  if (expected.says !== undefined && !said.includes(expected.says)) {
    sentences.push(`${key}: its last words do not say "${expected.says}"`)
  }
  return sentences
}
