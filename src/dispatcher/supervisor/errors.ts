import { defineErrors } from '../../kernel/index.ts'

export const supervisorError = defineErrors({
  SUPERVISOR_CANNOT_DIE_WITH_US: {
    status: 400,
    says: () => 'workers cannot be made to end with this process here: `setpriv --pdeathsig` does not work',
    fix: 'install util-linux (it has setpriv), or leave out `--orphans die`',
  },
})
