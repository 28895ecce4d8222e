/** Search for words in pages of text. */

export interface Found<P> {
  page: P;
  /** The context of the first match. */
  excerpt: string;
}

const AROUND = 60;

function excerptOf(text: string, at: number): string {
  const start = Math.max(0, at - AROUND);
  const end = Math.min(text.length, at + 2 * AROUND);
  return `${start > 0 ? "…" : ""}${text.slice(start, end).trim()}${end < text.length ? "…" : ""}`;
}

/** Return the pages with every word, title matches first; without input, the start of every page. */
export function findPages<P extends { title: string; text: string }>(pages: readonly P[], typed: string): Found<P>[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = pages.flatMap((page) => {
    const title = page.title.toLowerCase().replaceAll("_", " ");
    const text = page.text.toLowerCase();
    const held = words.every((word) => text.includes(word) || title.includes(word.replaceAll("_", " ")));
    if (!held) return [];
    const first = words.map((word) => text.indexOf(word)).find((at) => at >= 0) ?? 0;
    const named = words.some((word) => title.includes(word.replaceAll("_", " ")));
    return [{ page, named, excerpt: excerptOf(page.text, first) }];
  });
  return found
    .sort((one, other) => Number(other.named) - Number(one.named))
    .map(({ page, excerpt }) => ({ page, excerpt }));
}
