/** Comments, texts and quoted names, in which words have no meaning. */
const PASSIVE = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`/g;

/** Return true if an input of the query copies the CTIs of another one (ADVANCE TIME ... IMPORT FROM). */
export function importsCtis(sql: string): boolean {
  return /\bIMPORT\s+FROM\b/i.test(sql.replaceAll(PASSIVE, " "));
}
