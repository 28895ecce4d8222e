/** Merge two changes of one text: the user's typing, and the server's rewrite. */

interface TextChange {
  from: number;
  to: number;
  put: string;
}

/** Return the one region in which `after` differs from `before`; null without a difference. */
export function changeBetween(before: string, after: string): TextChange | null {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return { from: head, to: before.length - tail, put: after.slice(head, after.length - tail) };
}

/** Return `base` with both changes; null if they touch the same place, which is ambiguous. */
export function mergedText(base: string, typed: string, written: string): string | null {
  const mine = changeBetween(base, typed);
  const theirs = changeBetween(base, written);
  if (mine === null) return written;
  if (theirs === null || typed === written) return typed;
  const [first, second] = mine.from <= theirs.from ? [mine, theirs] : [theirs, mine];
  if (first.to >= second.from) return null;
  const head = base.slice(0, first.from) + first.put + base.slice(first.to, second.from);
  return head + second.put + base.slice(second.to);
}
