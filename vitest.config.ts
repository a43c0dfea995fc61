import { defineConfig } from 'vitest/config'

/** Statement files are text, as in the build. */
const sqlAsText = {
  name: 'sql-as-text',
  transform(code: string, id: string) {
    return id.endsWith('.sql') ? { code: `export default ${JSON.stringify(code)}`, map: null } : undefined
  },
}

export default defineConfig({
  plugins: [sqlAsText],
  define: { __CRASH_POINTS__: 'true' },
  test: {
    include: ['tests/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    env: { NO_COLOR: '1', FORCE_COLOR: '0', TZ: 'UTC' },
  },
})
