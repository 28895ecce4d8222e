// Prints, as JSON, the place, the length in lines and the number of parameters of every function
// in the files named; the body of a `describe` is a chapter, not a function.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const ts = createRequire(join(process.cwd(), 'package.json'))('typescript')
const isSuite = (node) => ts.isCallExpression(node.parent) && node.parent.expression.getText().startsWith('describe')
const found = []
for (const file of process.argv.slice(2)) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body && !isSuite(node)) {
      const line = lineOf(node.getStart(source))
      found.push({ file, line, lines: lineOf(node.end) - line + 1, arguments: node.parameters.length })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
}
process.stdout.write(JSON.stringify(found))
