import { expect } from 'vitest'
import { YardError } from '../../src/kernel/index.ts'
import type { Model } from './model.ts'

/** Both do it, or both do not: a refused act is an error of the catalogue and changes nothing. */
export function agree(model: Model, may: boolean, real: () => unknown, onModel: () => void): void {
  let refused: unknown
  try {
    real()
  } catch (fault) {
    refused = fault
  }
  if (refused !== undefined && !(refused instanceof YardError)) throw refused
  expect(refused === undefined, `allowed by the model: ${may}; ${String(refused)}`).toBe(may)
  if (!may) return
  onModel()
  model.follow()
}
