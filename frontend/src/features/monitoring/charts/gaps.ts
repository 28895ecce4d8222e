import { type RunHistory, unknownSpans } from "../../../model/run/history";
import type { Ticks } from "../../../model/time/ticks";
import type { Gap } from "./axes";

interface Drawn {
  history: RunHistory;
  /** When the run was requested; it has no data before. */
  since: Ticks;
  from: Ticks;
  to: Ticks;
  /** The time up to which a live connection has reported the state of the run. */
  liveUntil: Ticks;
}

/** The time for which the server keeps figures by the minute. */
const KEPT: Ticks = 30 * 24 * 3_600_000_000;
/** The tolerance for reports that arrive slightly late. */
const JUST_NOW: Ticks = 15_000_000;

/** Return why there is no data for a span, as far as known. */
function why({ begin, end }: { begin: Ticks; end: Ticks }, { history, since, to }: Drawn): string {
  if (history.toldAt === 0) return "history unavailable";
  if (begin >= history.toldAt - JUST_NOW) return "no reports since then";
  if (end <= to - KEPT + JUST_NOW) return "kept for 30 days only";
  const earlier = history.known.some((span) => span.begin < begin);
  return earlier || begin > since + JUST_NOW ? "no runner reported" : "not kept";
}

/** Return the spans without data between `from` and `to`. They are hatched, to distinguish them from silent input. */
export function gapsOf(drawn: Drawn): Gap[] {
  const { history, since, from, to, liveUntil } = drawn;
  const unknown = unknownSpans(history, Math.max(from, since), to, liveUntil);
  const before =
    since > from ? [{ begin: from, end: Math.min(since, to), words: "before the start", hatched: false }] : [];
  return [...before, ...unknown.map((gap) => ({ ...gap, words: why(gap, drawn), hatched: true }))];
}

const MEANINGS: Readonly<Record<string, string>> = {
  "history unavailable": "the server did not answer, or refused the request",
  "no reports since then": "this page lost its connection, or the runner is silent",
  "kept for 30 days only": "figures are kept for 30 days",
  "no runner reported": "no runner was active, or its reports were lost before they were stored",
  "not kept": "the run is from before figures were stored, or its first reports were lost",
};

/** Return a sentence that explains the hatching; null without hatched spans. */
export function hatchedWords(gaps: readonly Gap[]): string | null {
  const words = [...new Set(gaps.filter((gap) => gap.hatched).map((gap) => gap.words))];
  if (words.length === 0) return null;
  const reasons = words.map((each) => `${each} (${MEANINGS[each]})`).join("; ");
  return `Hatched: no data for this period: ${reasons}. Blank: the run was active, but no rows arrived.`;
}
