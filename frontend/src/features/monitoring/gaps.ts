import { type RunHistory, unknownSpans } from "../../model/history";
import type { Ticks } from "../../model/ticks";
import type { Gap } from "./axes";

interface Drawn {
  history: RunHistory;
  /** When the run was asked for; before it there was nothing. */
  since: Ticks;
  from: Ticks;
  to: Ticks;
  /** Up to when a connection that lives has told what the run does. */
  liveUntil: Ticks;
}

/** What the charts cannot tell between `from` and `to`: what is not known is hatched, so that it does not look like no input. */
export function gapsOf({ history, since, from, to, liveUntil }: Drawn): Gap[] {
  const unknown = unknownSpans(history, Math.max(from, since), to, liveUntil);
  const before =
    since > from ? [{ begin: from, end: Math.min(since, to), words: "before the start", hatched: false }] : [];
  return [...before, ...unknown.map((gap) => ({ ...gap, words: "nothing is known", hatched: true }))];
}
