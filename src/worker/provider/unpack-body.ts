import { pipeline, type Readable } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/**
 * A body that came compressed though that was refused, unpacked as it arrives. Its iterator throws where the body was cut
 * in the middle, and at once for an encoding that nobody can have asked for.
 */
export function unpackBody(packed: Readable, encoding: string): AsyncIterable<Uint8Array> {
  const unpack = unpackerFor(encoding)
  if (unpack === undefined) throw new SyntaxError(`the body came as ${encoding.slice(0, 40)}, which was not asked for`)
  return pipeline(packed, unpack, () => {}) // a fault of either side ends the iterator with it
}

function unpackerFor(encoding: string) {
  // What has arrived is given on at once: an event must not wait for the block that it is in.
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ flush: constants.Z_SYNC_FLUSH })
    case 'deflate':
      return createInflate({ flush: constants.Z_SYNC_FLUSH })
    case 'br':
      return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })
    default:
      return undefined
  }
}
