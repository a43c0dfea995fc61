import { schemaLine } from './editor-schemas.ts'

export const batchTemplateNames = ['night', 'refactor', 'tests'] as const
export type BatchTemplateName = (typeof batchTemplateNames)[number]

export const isBatchTemplate = (text: string): text is BatchTemplateName =>
  (batchTemplateNames as readonly string[]).includes(text)

/** A commented batch that runs as it is, prompts on the rehearsal provider, in any folder. */
export const batchTemplate = (name: BatchTemplateName): string => `${schemaLine('batch')}\n${bodies[name]}`

/** It has prompts, which are played by the rehearsal provider: a batch of commands needs neither its lane nor its scenario. */
export const asksModel = (name: BatchTemplateName): boolean => bodies[name].includes('lane: rehearsal')

const bodies: Readonly<Record<BatchTemplateName, string>> = {
  night: `# A night of work: prompts and commands together, with limits that let you sleep.
#   yardmaster run night.yaml --dry-run     what it would be
#   yardmaster run night.yaml               do it; Ctrl-C, reboot and kill lose nothing: run it again and it goes on
#   yardmaster report night                 in the morning
limits:
  slots: 4
  stop_at: "07:30"       # start nothing new, stop what runs, write the report, exit 9
  halt: 20%              # that share failed, of at least 10 that ended: start nothing new, exit 3
  first: 1               # canary: run one, go on only if it did not fail
defaults:
  timeout: 30m

tasks:
  ideas:
    lane: rehearsal      # a real model: lane: chat
    matrix:
      topic: [names, tests, errors]          # or { from: topics.txt }, or { glob: "prompts/*.md" }
    title: Ideas about \${{ matrix.topic }}
    prompt: Write three ideas about \${{ matrix.topic }} into ideas.md.
    workspace: scratch   # an empty folder each. In a git repository without this line: a worktree on a branch of its own
    attempts: 2          # how often it may fail; limits of the provider cost no attempt

  sizes:
    run: du -sh . | cut -f1                  # text: bash -euo pipefail, in the folder of this file
    rerun: auto          # cut by a reboot: repeat it. ask: leave it to you

  summary:
    needs:
      - { task: ideas, when: always }        # all its rows, whatever their end
      - sizes
    lane: rehearsal
    workspace: scratch
    prompt: Write a summary of the results of the tasks before this one.
`,
  refactor: `# One change over many files: a prompt for each, then a command that looks at the whole.
#   yardmaster run refactor.yaml --matrix file=files.txt     other files than the ones below
#   yardmaster run refactor.yaml --failed                    only what failed, again
limits: { slots: 4, halt: 3, first: 1 }
defaults: { lane: rehearsal, timeout: 20m, attempts: 2 }     # a real model: lane: chat

tasks:
  change:
    matrix:
      file: [src/one.ts, src/two.ts, src/three.ts]           # or { glob: "src/**/*.ts", not: "**/*.test.ts" }
    title: Dates in \${{ matrix.file }}
    prompt: |
      Replace the date library in \${{ matrix.file }} by the built-in one. Change nothing else.
    workspace: scratch   # for the rehearsal. In a git repository take this line out and the # below away: each works in a
    # worktree on a branch of its own, and is done when what it changed is what it may change, and the check passes there.
    # check: npm test                        # its last words go into the next attempt
    # may_change: ["\${{ matrix.file }}"]
    # expect: change                         # nothing changed is not done
    # workspace: { setup: npm ci, copy: [.env.test] }

  whole:
    needs: [{ task: change, when: always }]
    run: echo "put the command here that builds and tests everything"
`,
  tests: `# Commands over a list, each a row of its own with its exit code, time and last words; JUnit for CI.
#   yardmaster run tests.yaml --report out     out/report.md, out/report.json, out/junit.xml
limits: { slots: 4 }

tasks:
  prepare:
    run: echo "npm ci"   # what all of them need; they start when it is done

  suite:
    needs: prepare
    matrix:
      name: [unit, api, slow]                # or { glob: "tests/**/*.test.ts" }, or { from: suites.txt }
    run: echo "testing $name"                # values are variables in text; in a list: [npm, test, "\${{ matrix.name }}"]
    timeout: 10m
    attempts: 2          # a flaky one may fail once
`,
}

/** What the rehearsal provider answers: it fits every prompt, writes one file with a real tool, and says so. */
export const rehearsalScenario = `# What the model says while nothing is paid: yardmaster dev rehearsal .yardmaster/rehearsal.yaml --port 8123
# The tools are real, only the words are scripted. A play with \`when: text\` fits prompts that hold the text.
plays:
  - turns:
      - call: [{ tool: terminal, with: { command: "echo rehearsed > rehearsed.txt && cat rehearsed.txt" } }]
        usage: { input: 800, output: 20 }
      - say: Rehearsed. With a real lane the work would be done now.
        usage: { input: 850, output: 12 }
`
