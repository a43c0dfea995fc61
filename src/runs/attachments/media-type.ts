import { extname } from 'node:path'

/**
 * What kind of file a name says it is, as MIME has it; `application/octet-stream` for all others. A name is all that is gone
 * by: what a sender calls its bytes, and what they look like, is not asked.
 */
export function findMediaType(name: string): string {
  return mediaTypes[extname(name).slice(1).toLowerCase()] ?? 'application/octet-stream'
}

const mediaTypes: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  bz2: 'application/x-bzip2',
  csv: 'text/csv',
  css: 'text/css',
  diff: 'text/x-diff',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/jsonl',
  log: 'text/plain',
  md: 'text/markdown',
  mjs: 'text/javascript',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  odt: 'application/vnd.oasis.opendocument.text',
  patch: 'text/x-diff',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tgz: 'application/gzip',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  xhtml: 'application/xhtml+xml',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
}
