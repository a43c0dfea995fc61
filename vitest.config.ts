import { defineConfig } from 'vitest/config'

/** Statement files and units are text, as in the build. */
const filesAsText = {
  name: 'files-as-text',
  transform(code: string, id: string) {
    return /\.(sql|service)$/.test(id) ? { code: `export default ${JSON.stringify(code)}`, map: null } : undefined
  },
}

export default defineConfig({
  plugins: [filesAsText],
  define: { __CRASH_POINTS__: 'true' },
  test: {
    include: ['tests/**/*.test.ts'],
    pool: 'forks',
    // More than cores: most files wait for processes that they started.
    maxWorkers: 4,
    // So few processes run all files, each source is read once in each: a module that keeps something keeps it between files.
    isolate: false,
    globalSetup: ['tests/remove-bundles.ts'],
    // Against hanging, and nothing else: a slow machine with much to do takes ten times as long as a quiet one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 5 } },
    env: { NO_COLOR: '1', FORCE_COLOR: '0', TZ: 'UTC' },
  },
})
