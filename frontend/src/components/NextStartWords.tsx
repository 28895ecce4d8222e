import { counted } from "../lib/numbers";
import { type KeptBegin, useNextStart } from "../lib/runControl";
import type { NextStart } from "../model/api";
import { rowsText } from "../model/timeline";
import { Instant } from "./Instant";
import { NodeDifferences } from "./NodeDifferences";
import { ErrorNote, Waiting } from "./Notices";

const WORDS: Record<KeptBegin, string> = {
  oldest_open: "Read again what was open",
  carried_over: "Carry over what was open",
  old_positions: "Go on where it had read to, without its state",
  beginning: "From the beginning",
};

type Option = NextStart["options"][number];

/** What a way to begin is, and does; `isGone`: the rows that it reads again are there no more. */
export function titleOf({ begin, rows_again, rows_at_most, incomplete }: Option, isGone = false): string {
  if (isGone) return `${WORDS[begin]}: not possible, its rows are gone`;
  if (begin === "oldest_open" && rows_again > 0)
    return `${WORDS[begin]}: ${rowsText(rows_again, rows_at_most)}, nothing is lost`;
  if (begin === "carried_over")
    return `${WORDS[begin]}: nothing is read again${incomplete ? ", and new columns are incomplete at first" : ""}`;
  return incomplete ? `${WORDS[begin]}: the first results are incomplete` : WORDS[begin];
}

/** How much is open: windows where these are fixed, and their time; nothing where that is not known. */
export function OpenWords({ next }: { next: NextStart }) {
  const { open_from: from, open_until: until, open_windows: windows } = next;
  if (from == null) return null;
  const what = windows == null ? "what is" : `at most ${counted(windows, "window")}, each with all of its groups,`;
  return (
    <p>
      Open: {what} of the time <Instant ticks={from} /> to <Instant ticks={until} />.
    </p>
  );
}

/** How much of a binding is open now. */
export function OpenNow({ binding }: { binding: string }) {
  const { data } = useNextStart(binding, true);
  return data === undefined ? null : <OpenWords next={data} />;
}

interface Props {
  binding: string;
  /** As if the binding were of it; left out: of the one that it has. */
  version?: { id: string; number: number };
}

/** What it does, and why it leaves state behind where it does. */
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
      What is open is kept, and the next start goes on where this run stopped, as long as its query, its streams and
      their settings are not changed until then.
    </p>
  );
}

function Choices({ next }: { next: NextStart }) {
  if (next.goes_on || next.options.length < 2) return null;
  return (
    <>
      <p>Start asks first, and lets you choose:</p>
      <ul>
        {next.options.map((option) => (
          <li key={option.begin}>{titleOf(option)}</li>
        ))}
      </ul>
    </>
  );
}

/** What the next start does with what is kept now, in words. */
export function NextStartWords({ binding, version }: Props) {
  const next = useNextStart(binding, true, version?.id);
  if (next.isPending) return <Waiting>Asking what is kept…</Waiting>;
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
