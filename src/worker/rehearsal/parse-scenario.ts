import { checkShape, type Fault, formatPath, type Path, readYaml } from '../../kernel/config/index.ts'
import { type Scenario, ScenarioSchema, type WireFault } from './scenario-schema.ts'

export type ParsedScenario =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** A scenario from the text of its file, or everything that is wrong with it at once, each with its line. */
export function parseScenario(text: string, file: string): ParsedScenario {
  const { yaml, faults: syntax } = readYaml(text, file)
  if (yaml === undefined) return { ok: false, faults: syntax }
  const shape = checkShape(ScenarioSchema, yaml.value ?? {})
  const found = shape.length > 0 ? shape : misplacedFields(yaml.value as Scenario)
  const faults = [
    ...syntax,
    ...found.map(({ path, says, fix }) => ({ file, line: yaml.lineAt(path), path: formatPath(path), says, fix })),
  ]
  return faults.length > 0 ? { ok: false, faults } : { ok: true, scenario: yaml.value as Scenario }
}

interface Found {
  readonly path: Path
  readonly says: string
  readonly fix: string
}

const ofStatus = ['status', 'retry_after', 'headers', 'error', 'body'] as const
/** Fields of each kind of fault besides `kind` and `times`. */
const fieldsOf: Readonly<Record<WireFault['kind'], readonly (keyof WireFault)[]>> = {
  status: ofStatus,
  no_headers: [],
  stall: ['after'],
  drip: ['after'],
  cut: ['after'],
  unfinished: ['after'],
  malformed: ['after'],
  error_event: ['after', 'error'],
  json: [],
  empty: [],
}

function misplacedFields({ plays }: Scenario): readonly Found[] {
  return plays.flatMap(({ turns }, play) =>
    turns.flatMap(({ faults = [] }, turn) =>
      faults.flatMap((fault, index) => faultsOfFault(fault, ['plays', play, 'turns', turn, 'faults', index])),
    ),
  )
}

function faultsOfFault(fault: WireFault, path: Path): readonly Found[] {
  const allowed = fieldsOf[fault.kind]
  const misplaced = (Object.keys(fault) as (keyof WireFault)[])
    .filter((name) => name !== 'kind' && name !== 'times' && !allowed.includes(name))
    .map((name) => ({
      path: [...path, name],
      says: `does not belong to kind ${fault.kind}`,
      fix: allowed.length === 0 ? 'take it out' : `allowed here: ${allowed.join(', ')}`,
    }))
  if (fault.kind === 'status' && fault.status === undefined) {
    return [...misplaced, { path, says: 'has no status', fix: 'write status: 429, or another one' }]
  }
  return misplaced
}
