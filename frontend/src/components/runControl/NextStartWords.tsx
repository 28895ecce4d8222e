import { counted } from "../../lib/numbers";
import { type KeptBegin, useNextStart } from "../../lib/resources/runControl";
import type { NextStart } from "../../model/api";
import { rowsText } from "../../model/binding/timeline";
import { ErrorNote, Waiting } from "../notices/Notices";
import { Instant } from "../values/Instant";
import { NodeDifferences } from "./NodeDifferences";

const WORDS: Record<KeptBegin, string> = {
  oldest_open: "Read the rows of open windows again",
  carried_over: "Carry over open windows",
  old_positions: "Continue reading where it stopped, without its state",
  beginning: "From the beginning",
};

/** The same options after a run that read its inputs to their end. */
const AFTER_THE_END: Partial<Record<KeptBegin, string>> = {
  oldest_open: "Only new rows: no final result is repeated or delivered again",
  beginning: "From the beginning: all rows are read and all results delivered again",
};

type Option = NextStart["options"][number];

/**
 * Return the title of a start position. `isGone`: the rows to read again no longer exist; `isEnded`: the last run read
 * its inputs to their end.
 */
export function titleOf(
  { begin, rows_again, rows_at_most, incomplete }: Option,
  { isGone = false, isEnded = false } = {},
): string {
  const ended = isEnded ? AFTER_THE_END[begin] : undefined;
  if (ended !== undefined) return ended;
  if (isGone) return `${WORDS[begin]}: not possible, the rows no longer exist`;
  if (begin === "oldest_open" && rows_again > 0)
    return `${WORDS[begin]}: ${rowsText(rows_again, rows_at_most)}, no rows are lost`;
  if (begin === "carried_over")
    return `${WORDS[begin]}: no rows are read again${incomplete ? ", and new columns are incomplete at first" : ""}`;
  return incomplete ? `${WORDS[begin]}: the first results are incomplete` : WORDS[begin];
}

/** The amount of open state: windows if their number is fixed, and their time range; empty if unknown. */
export function OpenWords({ next }: { next: NextStart }) {
  const { open_from: from, open_until: until, open_windows: windows } = next;
  if (from == null) return null;
  const what = windows == null ? "state" : `at most ${counted(windows, "window")} per group,`;
  return (
    <p>
      Open: {what} for the time from <Instant ticks={from} /> to <Instant ticks={until} />.
    </p>
  );
}

/** A binding's open state. */
export function OpenNow({ binding }: { binding: string }) {
  const { data } = useNextStart(binding, true);
  return data === undefined ? null : <OpenWords next={data} />;
}

interface Props {
  binding: string;
  /** Assume this version of the query; defaults to the binding's current version. */
  version?: { id: string; number: number };
}

/** Return a sentence about the outputs that receive repeated results; empty if a binding has no outputs. */
export function deliveredWords(outputs: readonly string[]): string {
  return outputs.length === 0 ? "" : ` Repeated results are delivered again to: ${outputs.join(", ")}.`;
}

/** Return the effect of the next start, and the reason if state is discarded. */
function wholeWords({ goes_on, reason, sentence }: NextStart): string {
  return goes_on || reason === null ? sentence : `${reason} ${sentence}`;
}

function Sentence({ next, version }: { next: NextStart; version: Props["version"] }) {
  if (version !== undefined)
    return (
      <p>
        The next start, with version {version.number}: {wholeWords(next)}
      </p>
    );
  if (!next.goes_on) return <p>The next start, as the binding is now: {wholeWords(next)}</p>;
  return (
    <p>
      Open windows are kept. The next start resumes where this run stopped, unless you edit the query, its streams or
      their settings first.
    </p>
  );
}

function Choices({ next }: { next: NextStart }) {
  if (next.goes_on || next.options.length < 2) return null;
  return (
    <>
      <p>Start asks you to choose:</p>
      <ul>
        {next.options.map((option) => (
          <li key={option.begin}>{titleOf(option, { isEnded: next.inputs_ended })}</li>
        ))}
      </ul>
    </>
  );
}

/** The effect of the next start on the saved state. */
export function NextStartWords({ binding, version }: Props) {
  const next = useNextStart(binding, true, version?.id);
  if (next.isPending) return <Waiting>Loading the saved state…</Waiting>;
  if (next.isError) return <ErrorNote error={next.error} onRetry={() => void next.refetch()} />;
  return (
    <div className="stack">
      <Sentence next={next.data} version={version} />
      <OpenWords next={next.data} />
      {version === undefined ? null : <Choices next={next.data} />}
      {version === undefined ? null : <NodeDifferences next={next.data} />}
    </div>
  );
}
