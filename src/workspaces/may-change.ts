import picomatch from 'picomatch'

/**
 * Whether a changed path lies in what a task may change (`may_change`): any of the globs, less those that begin with `!`. Dot
 * files match, case counts, one that ends with / means all below it, and a pattern that is the very path always fits it, so
 * that `src/[id].tsx` of a matrix means that file.
 */
export function buildMayChange(patterns: readonly string[]): (path: string) => boolean {
  const allowed = patterns.filter((pattern) => !pattern.startsWith('!')).map(buildTest)
  const refused = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => buildTest(pattern.slice(1)))
  return (path) => allowed.some((fits) => fits(path)) && !refused.some((fits) => fits(path))
}

function buildTest(written: string): (path: string) => boolean {
  const pattern = written.replace(/^(\.?\/)+/, '')
  const glob = pattern.endsWith('/') ? `${pattern}**/*` : pattern
  // `s`: a name may hold a line end.
  const fits = glob === '' ? () => false : picomatch(glob, { dot: true, nonegate: true, flags: 's' })
  return (path) => path === pattern || (pattern.endsWith('/') && path.startsWith(pattern)) || fits(path)
}
