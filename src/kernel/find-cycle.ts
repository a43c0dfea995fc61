/**
 * A circle that can be reached from `starts` along `needsOf`, as its nodes with the first one repeated at the end;
 * undefined where there is none. Visits each node once and does not recurse, so that long chains are no danger.
 */
export function findCycle<Node>(
  starts: Iterable<Node>,
  needsOf: (node: Node) => readonly Node[],
): readonly Node[] | undefined {
  const finished = new Set<Node>()
  for (const start of starts) {
    const path: Node[] = []
    const onPath = new Set<Node>()
    const stack: { readonly node: Node; readonly leave: boolean }[] = [{ node: start, leave: false }]
    for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
      const { node, leave } = step
      if (leave) {
        path.pop()
        onPath.delete(node)
        finished.add(node)
        continue
      }
      if (onPath.has(node)) return [...path.slice(path.indexOf(node)), node]
      if (finished.has(node)) continue
      path.push(node)
      onPath.add(node)
      stack.push({ node, leave: true })
      for (const need of needsOf(node)) stack.push({ node: need, leave: false })
    }
  }
  return undefined
}
