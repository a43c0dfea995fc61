import type { RegisterCommand } from './command.ts'
import { registerAdd } from './commands/add.ts'
import { registerAnswer } from './commands/answer.ts'
import { registerApply } from './commands/apply.ts'
import { registerArchive } from './commands/archive.ts'
import { registerAttach } from './commands/attach.ts'
import { registerBackup } from './commands/backup.ts'
import { registerBlock } from './commands/block.ts'
import { registerCancel } from './commands/cancel.ts'
import { registerChat } from './commands/chat.ts'
import { registerClean } from './commands/clean.ts'
import { registerComment } from './commands/comment.ts'
import { registerDev } from './commands/dev.ts'
import { registerDiff } from './commands/diff.ts'
import { registerDoctor } from './commands/doctor.ts'
import { registerDown } from './commands/down.ts'
import { registerEdit } from './commands/edit.ts'
import { registerExport } from './commands/export.ts'
import { registerHolds } from './commands/hold.ts'
import { registerImport } from './commands/import.ts'
import { registerInit } from './commands/init.ts'
import { registerList } from './commands/list.ts'
import { registerLog } from './commands/log.ts'
import { registerReady } from './commands/ready.ts'
import { registerRelease } from './commands/release.ts'
import { registerReport } from './commands/report.ts'
import { registerRestore } from './commands/restore.ts'
import { registerRetry } from './commands/retry.ts'
import { registerApprove, registerReject } from './commands/review.ts'
import { registerRun } from './commands/run.ts'
import { registerSchema } from './commands/schema.ts'
import { registerService } from './commands/service.ts'
import { registerShow } from './commands/show.ts'
import { registerStop } from './commands/stop.ts'
import { registerUnblock } from './commands/unblock.ts'
import { registerUp } from './commands/up.ts'
import { registerWait } from './commands/wait.ts'
import { registerWatch } from './commands/watch.ts'
import { registerWhy } from './commands/why.ts'

/** Every verb. Their order on the help page is `verbGroups`. */
export const verbs: readonly RegisterCommand[] = [
  registerInit,
  registerUp,
  registerDown,
  registerService,
  registerDoctor,
  registerAdd,
  registerEdit,
  registerReady,
  registerAttach,
  registerRun,
  registerWait,
  registerList,
  registerWatch,
  registerShow,
  registerLog,
  registerWhy,
  registerDiff,
  registerReport,
  registerAnswer,
  registerApprove,
  registerReject,
  registerRetry,
  registerStop,
  registerCancel,
  registerBlock,
  registerUnblock,
  registerComment,
  registerRelease,
  registerHolds,
  registerClean,
  registerApply,
  registerArchive,
  registerBackup,
  registerRestore,
  registerExport,
  registerImport,
  registerSchema,
  registerChat,
  registerDev,
]
