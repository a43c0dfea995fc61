import { expect, test } from 'vitest'
import { dropOwnMarkers } from '../../src/dispatcher/own-markers.ts'
import { markStage } from '../../src/dispatcher/stages/stage-place.ts'
import { formatMarker, markerVariable } from '../../src/kernel/process/index.ts'
import { startYard } from './start-yard.ts'

test('C27: a hub that a worker has started anew does not pass the mark of that run on, but that of an outer yard', async () => {
  await using yard = await startYard()
  const id = yard.add({ run: 'until [ -e leave ]; do sleep 0.02; done' })
  await yard.when(id, ({ status }) => status === 'running')
  const [run] = yard.runs(id)
  if (run === undefined) throw new Error('not claimed')
  const own = formatMarker(run.id, run.nonce)
  const marked = (text: string) => ({ PATH: '/bin', [markerVariable]: text })
  expect(dropOwnMarkers(yard, marked(`yard:R9:cafe ${own}`))).toEqual(marked('yard:R9:cafe'))
  expect(dropOwnMarkers(yard, marked(own))).toEqual(marked(''))
  for (const stage of ['prepare', 'check'] as const) {
    expect(dropOwnMarkers(yard, marked(`yard:R9:cafe ${markStage(run, stage)}`))).toEqual(marked('yard:R9:cafe'))
  }
  expect(dropOwnMarkers(yard, { PATH: '/bin' })).toEqual({ PATH: '/bin' })
  yard.board.cancelTask(id, { by: 'ana' })
  await yard.over(id)
})
