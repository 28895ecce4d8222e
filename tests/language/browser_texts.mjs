// Prints, as JSON, every comment, prose string, JSX text and declared name of the files named.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const ts = createRequire(join(process.cwd(), 'package.json'))('typescript')
const texts = []

function readFile(file) {
  const content = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const isTest = file.includes('.test.')
  const add = (position, kind, text) => {
    texts.push({ path: file, line: source.getLineAndCharacterOfPosition(position).line + 1, kind, text })
  }
  const comments = new Set()
  const addComments = (ranges) => {
    for (const { pos, end } of ranges ?? []) {
      if (comments.has(pos)) continue
      comments.add(pos)
      const isDoc = content.startsWith('/**', pos)
      add(pos, isDoc ? 'docstring' : 'comment', content.slice(pos, end).replace(/^\/\*+|\*\/$|^\s*(\/\/|\*)/gm, ''))
    }
  }
  const visit = (node) => {
    addComments(ts.getLeadingCommentRanges(content, node.getFullStart()))
    addComments(ts.getTrailingCommentRanges(content, node.end))
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
    if (isText && !ts.isImportDeclaration(node.parent) && (isTest ? node.parent.expression?.getText() === 'test' || node.parent.expression?.getText() === 'it' : true)) {
      if (node.text.trim().includes(' ')) add(node.getStart(source), isTest ? 'test name' : 'interface', node.text)
    }
    if (ts.isJsxText(node) && node.text.trim() && !isTest) add(node.getStart(source), 'interface', node.text)
    const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)
    const isVariable = ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node)
    if (isType && node.name) add(node.name.getStart(source), 'class', node.name.text)
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.name)
      add(node.name.getStart(source), 'function', node.name.getText(source))
    if (isVariable && ts.isIdentifier(node.name)) {
      const isFunction = node.initializer && ts.isArrowFunction(node.initializer)
      add(node.name.getStart(source), isFunction ? 'function' : 'variable', node.name.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
}

for (const file of process.argv.slice(2)) readFile(file)
process.stdout.write(JSON.stringify(texts))
