/** Find the guide page that explains an SQL word. */

import { SQL_PAGES } from "../../generated/sqlWords";

const TOKENS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\]|\\.)*'|`[^`]*`|[A-Za-z_]\w*|\S/g;

interface Token {
  from: number;
  to: number;
  word: string;
}

/** Return the words of a text, without comments and quoted texts. */
function tokensOf(text: string): Token[] {
  return [...text.matchAll(TOKENS)]
    .filter(([found]) => !/^(--|\/\*)/.test(found))
    .map((match) => ({ from: match.index, to: match.index + match[0].length, word: match[0].toLowerCase() }));
}

const PHRASES = SQL_PAGES.map(([words, page]) => ({ words: words.split(" "), page })).sort(
  (one, other) => other.words.length - one.words.length,
);

/** Return the page of the word at, or next to, the caret `at`; the longest known phrase counts. */
export function pageAt(text: string, at: number): string | null {
  const tokens = tokensOf(text);
  const touched = tokens.flatMap(({ from, to }, index) => (from <= at && at <= to ? [index] : []));
  for (const { words, page } of PHRASES) {
    for (const index of touched) {
      for (let begin = index - words.length + 1; begin <= index; begin += 1) {
        if (words.every((word, offset) => tokens[begin + offset]?.word === word)) return page;
      }
    }
  }
  return null;
}
