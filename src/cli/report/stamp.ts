/** A moment as this machine's clock shows it, with its zone: `2026-11-29 18:00 UTC`. */
export function stamp(iso: string): string {
  const at = new Date(Date.parse(iso))
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${date} ${hourAndMinute(iso)} ${zoneOf(at)}`
}

/** `18:00`. */
export function hourAndMinute(iso: string): string {
  const at = new Date(Date.parse(iso))
  return `${two(at.getHours())}:${two(at.getMinutes())}`
}

const two = (n: number): string => String(n).padStart(2, '0')

function zoneOf(at: Date): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(at)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}
