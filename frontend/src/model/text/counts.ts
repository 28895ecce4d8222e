/** Counts with their nouns, written the same everywhere. */

const COUNT = new Intl.NumberFormat("en-GB");

export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** Return `1 row`, `2 rows`, `1,240 queries`; `many` is the plural, if it isn't the noun with an s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
