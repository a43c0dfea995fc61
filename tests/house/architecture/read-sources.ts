import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** One source file below `src`, its path relative to it, and its text. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** Every TypeScript file below `folder`, sorted by path. */
export function readSources(folder: string): readonly Source[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ path: relative(folder, file), text: readFileSync(file, 'utf8') }))
}

/** Where a file reaches: the text between the quotes of each import, re-export, `import()` and `import('…').Type`. */
export function readImports({ path, text }: Source): readonly string[] {
  const { module, program } = parseSync(path, text)
  const found = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...module.dynamicImports.map(({ moduleRequest }) => text.slice(moduleRequest.start + 1, moduleRequest.end - 1)),
  ]
  new Visitor({
    TSImportType(node) {
      found.push(node.source.value)
    },
  }).visit(program)
  return [...new Set(found)]
}

/** Names that a file declares: variables, functions, classes, types, parameters, properties, imports under a new name. */
export function readDeclaredNames({ path, text }: Source): readonly string[] {
  const names = new Set<string>()
  const note = (node: { type: string } | null | undefined) => {
    if (node !== null && node !== undefined && 'name' in node && typeof node.name === 'string') names.add(node.name)
  }
  new Visitor({
    VariableDeclarator: (node) => note(node.id),
    FunctionDeclaration: (node) => note(node.id),
    ClassDeclaration: (node) => note(node.id),
    TSTypeAliasDeclaration: (node) => note(node.id),
    TSInterfaceDeclaration: (node) => note(node.id),
    TSPropertySignature: (node) => note(node.key),
    TSMethodSignature: (node) => note(node.key),
    PropertyDefinition: (node) => note(node.key),
    MethodDefinition: (node) => note(node.key),
  }).visit(parseSync(path, text).program)
  return [...names]
}

/** Every `object.property` that a file reads or calls, such as `process.kill`, and every plain call, such as `setTimeout`. */
export function readUses({ path, text }: Source): readonly string[] {
  const uses = new Set<string>()
  new Visitor({
    MemberExpression(node) {
      if (node.object.type === 'Identifier' && node.property.type === 'Identifier') {
        uses.add(`${node.object.name}.${node.property.name}`)
      }
    },
    CallExpression(node) {
      if (node.callee.type === 'Identifier') uses.add(`${node.callee.name}()`)
    },
    NewExpression(node) {
      if (node.callee.type === 'Identifier') {
        uses.add(`new ${node.callee.name}(${node.arguments.length === 0 ? '' : '…'})`)
      }
    },
  }).visit(parseSync(path, text).program)
  return [...uses]
}
