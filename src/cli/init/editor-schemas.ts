import { ConfigSchema, type EditorSchemas } from '../../kernel/config/index.ts'
import { BatchFileSchema } from '../batch-file/index.ts'

const draft = { $schema: 'https://json-schema.org/draft/2020-12/schema' } as const

/** JSON Schemas of the files that people write, for their editors: the same ones that the program checks with. */
export const editorSchemas: EditorSchemas = {
  config: { ...draft, ...ConfigSchema },
  batch: { ...draft, ...BatchFileSchema },
}

export const schemaKinds = ['config', 'batch'] as const
export type SchemaKind = (typeof schemaKinds)[number]

export const isSchemaKind = (text: string): text is SchemaKind => (schemaKinds as readonly string[]).includes(text)

/** Where `init` puts them, from the folder of `yardmaster.yaml`. */
export const schemaFile = (kind: SchemaKind): string => `.yardmaster/${kind}.schema.json`

/** First line of a file of ours, by which editors with a YAML language server find its schema. */
export const schemaLine = (kind: SchemaKind): string => `# yaml-language-server: $schema=./${schemaFile(kind)}`
