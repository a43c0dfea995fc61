import { controlPattern, spell } from './visible.ts'

/**
 * Makes a worker's output fit for a terminal: text, line breaks, tabs, carriage returns (progress bars) and colours
 * pass; every other control character and escape sequence is spelled out, so that a log can neither move the cursor
 * elsewhere, nor set the title, nor ask the terminal to answer, nor turn the direction of a line around. Keeps a sequence that is cut at the end of a piece
 * for the next one.
 */
export function logForTerminal(): (piece: string) => string {
  let kept = ''
  return (piece) => {
    const text = kept + piece
    const open = unfinished.exec(text)
    kept = open === null || open[0].length > longestSequence ? '' : open[0]
    return spelled(text.slice(0, text.length - kept.length))
  }
}

/** Colour sequences are shorter; something longer is no colour. */
const longestSequence = 64

const esc = '\u001b'
const colour = `${esc}\\[[\\d;:]*m`
const unfinished = new RegExp(`${esc}(\\[[\\d;:]*)?$`)
const colourOrControl = new RegExp(`${colour}|${controlPattern}`, 'gu')

function spelled(text: string): string {
  return text.replace(colourOrControl, (found) => {
    if (found.length > 1 || found === '\n' || found === '\t' || found === '\r') return found
    return spell(found)
  })
}
