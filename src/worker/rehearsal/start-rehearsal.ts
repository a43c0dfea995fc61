import { formatFaults, readText } from '../../kernel/config/index.ts'
import { workerError } from '../errors.ts'
import { parseScenario } from './parse-scenario.ts'
import { type Rehearsal, startRehearsalServer } from './rehearsal-server.ts'

/**
 * Plays a scenario file as an OpenAI-compatible server on loopback; port 0 takes a free one. Throws
 * `WORKER_SCENARIO_FAULTY` with all that is wrong with the file, and `WORKER_PORT_TAKEN`.
 */
export async function startRehearsal(input: { readonly file: string; readonly port: number }): Promise<Rehearsal> {
  const read = readText(input.file)
  if (!read.ok)
    throw workerError('WORKER_SCENARIO_FAULTY', { file: input.file, text: `  it cannot be read: ${read.why}` })
  const parsed = parseScenario(read.text, input.file)
  if (!parsed.ok) throw workerError('WORKER_SCENARIO_FAULTY', { file: input.file, text: formatFaults(parsed.faults) })
  return await startRehearsalServer({ scenario: parsed.scenario, port: input.port })
}
