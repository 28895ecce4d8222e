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

/** For so long the server keeps figures by the minute. */
const KEPT: Ticks = 30 * 24 * 3_600_000_000;
/** Who looks a little later than it was told does not miss anything. */
const JUST_NOW: Ticks = 15_000_000;

/** Why nothing is known of a time, as far as that can be told. */
function why({ begin, end }: { begin: Ticks; end: Ticks }, { history, since, to }: Drawn): string {
  if (history.toldAt === 0) return "the history could not be read";
  if (begin >= history.toldAt - JUST_NOW) return "no word since then";
  if (end <= to - KEPT + JUST_NOW) return "kept for 30 days only";
  const earlier = history.known.some((span) => span.begin < begin);
  return earlier || begin > since + JUST_NOW ? "no runner reported" : "not kept";
}

/** What the charts cannot tell between `from` and `to`: what is not known is hatched, so that it does not look like no input. */
export function gapsOf(drawn: Drawn): Gap[] {
  const { history, since, from, to, liveUntil } = drawn;
  const unknown = unknownSpans(history, Math.max(from, since), to, liveUntil);
  const before =
    since > from ? [{ begin: from, end: Math.min(since, to), words: "before the start", hatched: false }] : [];
  return [...before, ...unknown.map((gap) => ({ ...gap, words: why(gap, drawn), hatched: true }))];
}

const MEANINGS: Readonly<Record<string, string>> = {
  "the history could not be read": "the server did not answer, or refused the history",
  "no word since then": "this page has heard nothing since then, or the runner is silent",
  "kept for 30 days only": "figures are kept for 30 days",
  "no runner reported": "no runner was alive then, or its reports were lost before they were kept",
  "not kept": "the run is from before figures were kept, or its first reports were lost",
};

/** The sentence that says what is hatched and why; null where nothing is. */
export function hatchedWords(gaps: readonly Gap[]): string | null {
  const words = [...new Set(gaps.filter((gap) => gap.hatched).map((gap) => gap.words))];
  if (words.length === 0) return null;
  const reasons = words.map((each) => `${each} (${MEANINGS[each]})`).join("; ");
  return `Hatched: nothing is known of that time: ${reasons}. Blank: the run went on, and no row came.`;
}
