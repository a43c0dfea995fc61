import { lstatSync } from 'node:fs'
import { readSmall } from './read-small.ts'

export function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Empty where there is no plain, small file. */
export const readText = (path: string): string => readSmall(path) ?? ''
