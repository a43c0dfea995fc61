import { defineErrors, formatTaskId, type TaskId } from '../kernel/index.ts'

/** What is refused of copies: a whole store (backup, restore), or one board (export, import). Nothing was changed. */
export const copyError = defineErrors({
  BOARD_FILE_TAKEN: {
    status: 409,
    says: ({ file }: { file: string }) => `${file} is there already, and nothing is written over`,
    fix: 'name a file that is not there yet, or none: it then gets a name of its own',
  },
  BOARD_FILE_NOT_MADE: {
    status: 400,
    says: ({ file, why }: { file: string; why: string }) => `${file} cannot be written: ${why}`,
    fix: 'name a file in a folder that exists and that you may write to',
  },
  BOARD_FILE_NOT_WRITTEN: {
    status: 500,
    says: ({ file, why }: { file: string; why: string }) => `${file} could not be written: ${why}`,
    fix: 'look at the disk that it lies on, or name a file on another one',
  },
  BOARD_NO_BACKUP: {
    status: 404,
    says: ({ file }: { file: string }) => `there is no backup ${file}: no file of that name, or an empty one`,
    fix: 'backups of a home lie in its folder backups; name the file that yardmaster backup answered',
  },
  BOARD_BACKUP_NOT_READ: {
    status: 500,
    says: ({ file, why }: { file: string; why: string }) => `${file} could not be read: ${why}; nothing was changed`,
    fix: 'look at the rights of the file, and at the disk it lies on',
  },
  BOARD_NOT_A_BACKUP: {
    status: 400,
    says: ({ file }: { file: string }) => `${file} is no backup of a yard; nothing was changed`,
    fix: 'name the file that yardmaster backup answered',
  },
  BOARD_BACKUP_TOO_NEW: {
    status: 400,
    says: ({ file, version, known }: { file: string; version: number; known: number }) =>
      `${file} is of version ${version}; this program knows versions up to ${known}. Nothing was changed`,
    fix: 'restore it with the newer yardmaster that wrote it',
  },
  BOARD_BACKUP_IS_STORE: {
    status: 400,
    says: ({ file }: { file: string }) => `${file} is the store itself`,
    fix: 'name the copy that is to take its place',
  },
  BOARD_BACKUP_DAMAGED: {
    status: 400,
    says: ({ file, found }: { file: string; found: string }) => `${file} is damaged (${found}); nothing was changed`,
    fix: 'take another backup',
  },
  BOARD_NO_BOARD: {
    status: 404,
    says: ({ board }: { board: string }) => `there is no task on a board "${board}"`,
    fix: 'name a board that has some: -b BOARD; which ones: yardmaster list --all',
  },
  BOARD_IMPORT_BOARD_TAKEN: {
    status: 409,
    says: ({ board }: { board: string }) => `there is a board "${board}" with tasks already`,
    fix: 'name another one, or this one if its tasks are to be added to it: -b BOARD',
  },
  BOARD_IMPORT_KEY_TAKEN: {
    status: 409,
    says: ({ task, key, holder }: { task: TaskId; key: string; holder: string }) =>
      `${formatTaskId(task)} of the file has the key "${key}", which is held by ${holder}`,
    fix: 'end one of the two first, or import into another board: -b BOARD',
  },
  BOARD_IMPORT_TWICE: {
    status: 400,
    says: ({ task }: { task: TaskId }) => `${formatTaskId(task)} stands twice in the file`,
    fix: 'take one of the two lines out',
  },
  BOARD_IMPORT_NO_NEED: {
    status: 400,
    says: ({ task, need }: { task: TaskId; need: TaskId }) =>
      `${formatTaskId(task)} needs ${formatTaskId(need)}, which is not in the file`,
    fix: 'export the board again: a line is missing',
  },
})
