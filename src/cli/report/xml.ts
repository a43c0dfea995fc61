/** An element of an XML document: text, or children. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number | undefined>>
  readonly children?: readonly (XmlElement | undefined)[]
  readonly text?: string
}

/** A whole document, indented. Whatever is in the values, it is well-formed (XML 1.0). */
export function renderXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${render(root, '')}`
}

function render({ name, attributes, children = [], text = '' }: XmlElement, indent: string): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined)
  const start = `${indent}<${name}${given.map(([key, value]) => ` ${key}="${attribute(String(value))}"`).join('')}`
  const inner = children.filter((child) => child !== undefined)
  if (inner.length > 0) {
    return `${start}>\n${inner.map((child) => render(child, `${indent}  `)).join('')}${indent}</${name}>\n`
  }
  return text === '' ? `${start}/>\n` : `${start}>${escapeText(text)}</${name}>\n`
}

/** In an attribute a line break or tab would be read back as a blank (XML 1.0, 3.3.3), so it is written as a reference. */
function attribute(text: string): string {
  return escapeText(text)
    .replaceAll('"', '&quot;')
    .replace(/[\t\n]/g, (one) => `&#${one.charCodeAt(0)};`)
}

function escapeText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(notXml, spell)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

// XML 1.0 knows no other control characters, no halves of surrogate pairs, and neither U+FFFE nor U+FFFF (2.2), not
// even as references. They are spelled out, because leaving them out would hide what a program printed.
const notXml = /[^\t\n\u{20}-\u{7e}\u{85}\u{a0}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
const spell = (one: string): string => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
