/**
 * What a key means and what holds without it, where its schema only says which form it has. Keys of `defaults` and of a
 * task are explained once, as `task.…`.
 */
export const optionMeanings: Readonly<Record<string, string>> = {
  slots: 'workers at once over all lanes. Built in: half the cores, between 1 and 8',
  'keep.done':
    'how long logs, files and scratch folders of done tasks are kept, and of the earlier attempts of failed ones. Built in: 3d',
  'keep.failed':
    'the same of the last attempt of failed and cancelled tasks, and of the earlier attempts of open ones. Built in: 30d',
  disk_free:
    'free space on the disk of the home below which nothing new starts. Built in: 1GiB, or a twentieth of a smaller disk',
  'accounts.NAME.key.env': 'name of a variable of the hub',
  'accounts.NAME.key.file': 'a file that holds nothing but the key',
  'accounts.NAME.key.command': 'a program, with arguments, that prints the key',
  'accounts.NAME.slots': 'workers at once on this account',
  'accounts.NAME.prices':
    'what its models cost, in USD per million tokens: without a price the cost of a run is unknown',
  'accounts.NAME.prices.NAME': 'of the model of that name',
  'accounts.NAME.prices.NAME.in': 'of input',
  'accounts.NAME.prices.NAME.out': 'of output, reasoning included',
  'accounts.NAME.prices.NAME.cached': 'of input that the provider had kept. Built in: as `in`',
  'lanes.NAME.uses': 'our agent, or a command. Built in: the lane of that name, else `command`',
  'lanes.NAME.account': 'the account that pays; its limits hold all its lanes',
  'lanes.NAME.model':
    'the model to ask; `chat` needs one. Of a list the next is asked where the one before is not there or is overloaded',
  'lanes.NAME.tools': 'the tools that its agent may use; whatever a task or a model asks for. Built in: all',
  'lanes.NAME.tools_off': 'tools that it may not use',
  'lanes.NAME.turns': 'calls of the model at most, repeats not counted. Built in: 90',
  'lanes.NAME.timeouts': 'when one call of the model is given up',
  'lanes.NAME.timeouts.first_byte': 'no answer has begun',
  'lanes.NAME.timeouts.first_event': 'the model has said nothing yet',
  'lanes.NAME.timeouts.idle': 'the model has said nothing more; comments of the server do not count',
  'lanes.NAME.timeouts.call': 'the whole call, whatever arrives',
  'lanes.NAME.budget': 'what one attempt may use; a task, a batch and a board may say otherwise',
  'lanes.NAME.budget.tokens': 'tokens, cached input not counted. Built in: 5M',
  'lanes.NAME.budget.usd': 'US dollars; refused where the price of a model is not known. Built in: off',
  'lanes.NAME.temperature': "built in: the provider's own",
  'lanes.NAME.reasoning': "how much the model thinks. Built in: the provider's own",
  'lanes.NAME.output_tokens': 'longest answer of the model',
  'lanes.NAME.context_tokens':
    'how much the model can take: earlier parts are summed up before that. Built in: what its server says',
  'lanes.NAME.headers': 'sent with every call. A credential is refused here: it belongs to the account',
  'lanes.NAME.headers.NAME': 'its value',
  'lanes.NAME.api': 'which of the two interfaces its server speaks. Built in: `chat_completions`',
  'lanes.NAME.sandbox':
    '`bwrap`: its commands see a read-only system, their workspace and no home; `bwrap_offline`: and no network. Where that cannot be had, nothing starts. Built in: `none`',
  'lanes.NAME.denied_commands':
    'commands that its agents may not run, `*` for any text: `git push*`. A guard against slips: a script can hold anything. With any of them a command that cannot be read is refused, too',
  'lanes.NAME.approval_commands':
    'commands that a person would have to allow: none can do that while an agent works, so it is told to block and ask',
  'lanes.NAME.heartbeat': 'how often the log tells of a command that runs, at least 1m. Built in: 1m',
  'lanes.NAME.transcript': '`off`: keep no record of the turns. Built in: `on`',
  'lanes.NAME.grants':
    'what its agents may do besides their own task: make cards of their own lane (with `any_lane` of any other, too), comment on others, link them. Built in: nothing',
  'lanes.NAME.slots': 'workers at once in this lane',
  'lanes.NAME.timeout': 'longest attempt. Built in: 2h, always finite',
  'lanes.NAME.stall':
    'silence (no output, no CPU time) after which it counts as stuck. Built in: 30m for agents, off for commands',
  'lanes.NAME.grace': 'time between the polite and the forced end. Built in: 10s; 3s for `run` under CI',
  'lanes.NAME.memory':
    'most memory that all processes of an attempt together may use; more ends it as out of memory. Built in: off',
  'lanes.NAME.log_limit':
    'how much of the log of an attempt is kept on disk: its first part (a ninth, at most 1 MiB) and its last. At least 256KiB. Built in: 9MiB',
  'lanes.NAME.log':
    '`file`: the worker writes its log itself, and the hub cuts it. `piped`: a writer of ours does, some 40 MB for each attempt, and the limit holds exactly, with and without a hub, on every file system',
  'lanes.NAME.env.NAME':
    'its value; or where a secret is read at each start, for the work of this lane only: not for setup and check',
  'lanes.NAME.env.NAME.env': 'name of a variable of the hub',
  'lanes.NAME.env.NAME.file': "a file, from this file's folder",
  'lanes.NAME.env.NAME.command': 'a program, with arguments, that prints it',
  'lanes.NAME.pass_env':
    "names, or patterns with `*`, of the hub's own variables that workers get besides the usual ones",
  'lanes.NAME.exits': 'what an exit code or a text in the output means; first match wins, then the built-in table',
  'lanes.NAME.exits[].code': 'the exit codes it matches',
  'lanes.NAME.exits[].then':
    'what follows: `later` costs no attempt, `wall` also holds the account, `block` asks a person',
  'lanes.NAME.exits[].why': 'the reason to show',
  'boards.NAME.repo':
    'the git repository of its worktrees: a path from this file, or a URL. Its folder picks this board',
  'boards.NAME.budget': 'what one attempt at its prompts may use',
  'boards.NAME.budget.tokens': 'tokens, cached input not counted; `off`: no limit',
  'boards.NAME.budget.usd': 'US dollars; `off`: no limit',
  'boards.NAME.check': 'the check of its prompts: done means that it exits with 0',
  'boards.NAME.workspace':
    'where its tasks work, or what a worktree of `repo` says besides. Built in: a worktree for prompts where there is a `repo`',
  'boards.NAME.lane': 'lane of its cards that name none',
  name: "name of the batch. Built in: the file's name",
  key: 'same name and key: the same batch, which goes on where it was',
  board: 'the board its tasks are on',
  limits: 'limits of this batch; each can be given on the command line too',
  'limits.slots': 'workers at once for this batch',
  'limits.timeout': 'start nothing new after this time, stop what runs, exit 9',
  'limits.halt': 'so many failed (`5`), or such a share (`20%`, of at least 10 ended): start nothing new, exit 3',
  'limits.on_wall': '`stop`: exit 7 as soon as only limits of providers are left. Built in: `wait`',
  'limits.first': 'canary: so many start alone, the rest only when none of them failed',
  defaults:
    'any field of a task, for those tasks that do not say it themselves; check, may_change, expect and review for prompts only',
  tasks: 'the tasks, by key',
  'tasks.NAME': 'one task, or with `matrix` one for each row',
  'task.lane': 'how it is run. Built in: the lane of its board, else `chat` for a prompt and `command` for `run`',
  'task.timeout': 'longest attempt. Built in: 2h',
  'task.stall': 'silence after which it counts as stuck. Built in: 30m for prompts, off for commands',
  'task.workspace':
    "where it works: `here` (the file's folder), `scratch` (an empty one of its own), `worktree` (a checkout on a branch of its own), or a map: of a folder (`dir`), or of a worktree. Built in: `here` for `run`; for `prompt` a worktree inside a git repository, else `scratch`",
  'task.workspace.dir': 'a folder; tasks that share it take turns',
  'task.workspace.shared': '`true`: they need not take turns',
  'task.budget': 'what one attempt may use; at its end the attempt has failed. For prompts of our own agent',
  'task.budget.tokens': 'tokens, cached input not counted; `off`: no limit. Built in: 5M',
  'task.budget.usd': 'US dollars, where the prices of the models are known; `off`: no limit. Built in: off',
  'task.exits': 'what an exit code or a text in the output means; before those of the lane',
  'task.exits[].code': 'the exit codes it matches',
  'task.exits[].then': 'what follows: `later` costs no attempt, `wall` also holds the account, `block` asks a person',
  'task.exits[].why': 'the reason to show',
  'task.grace': 'time between the polite and the forced end. Built in: 10s; 3s for `run` under CI',
  'task.memory': 'most memory that all its processes together may use; more ends it as out of memory. Built in: off',
  'task.log_limit':
    'how much of its log is kept on disk: its first part (a ninth, at most 1 MiB) and its last. At least 256KiB. Built in: 9MiB',
  'task.priority': 'higher first. Built in: 0',
  'task.labels': 'words to find it by',
  'task.run': 'a command: text for `bash -euo pipefail`, or a list that runs as it is. Either this or `prompt`',
  'task.prompt': 'text for an agent, or `{ file }`. Either this or `run`',
  'task.prompt.file': "a file, from the batch file's folder",
  'task.matrix.exclude': 'rows to leave out',
  'task.matrix.exclude[].NAME': 'the value of that axis',
  'task.matrix.NAME': 'an axis: a list of values, `{ glob }` or `{ from }`',
  'task.matrix.NAME.glob': 'tracked files that match; none is a fault',
  'task.matrix.NAME.not': 'files to leave out',
}
