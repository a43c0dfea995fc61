import { bad, type Check, ok } from './check.ts'

/** `engines` of package.json. */
const leastNode = [20, 19] as const

export function checkNode(version: string, node: string = process.version): readonly Check[] {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number)
  const [leastMajor, leastMinor] = leastNode
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor)
  const says = `yardmaster ${version} on Node ${node}`
  return [isEnough ? ok('program', says) : bad('program', says, `it needs Node ${leastNode.join('.')} or later`)]
}
