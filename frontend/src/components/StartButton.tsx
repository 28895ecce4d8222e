import { useState } from "react";
import { formatCount } from "../lib/numbers";
import { type BeginAt, useNextStart, useStart } from "../lib/runControl";
import type { NextStart, RunShown } from "../model/api";
import { Ask } from "./Ask";
import { ErrorNote, Waiting } from "./Notices";
import { ReasonedButton } from "./Reasoned";

type Option = NextStart["options"][number];

const WORDS: Record<BeginAt, string> = {
  oldest_open: "Read again what was open",
  old_positions: "Go on where it had read to",
  beginning: "From the beginning",
};

function titleOf({ begin, rows_again, incomplete }: Option): string {
  if (begin === "oldest_open" && rows_again > 0)
    return `${WORDS[begin]}: ${formatCount(rows_again)} ${rows_again === 1 ? "row" : "rows"}, nothing is lost`;
  return incomplete ? `${WORDS[begin]}: the first results are incomplete` : WORDS[begin];
}

interface ChoiceProps {
  options: readonly Option[];
  value: BeginAt;
  onChange: (value: BeginAt) => void;
}

function BeginChoice({ options, value, onChange }: ChoiceProps) {
  return (
    <fieldset className="stack">
      <legend>Where it begins</legend>
      {options.map((option) => (
        <div key={option.begin}>
          <label className="row">
            <input
              type="radio"
              name="begin"
              value={option.begin}
              checked={option.begin === value}
              onChange={() => onChange(option.begin)}
            />
            <strong>{titleOf(option)}</strong>
          </label>
          <p className="quiet small">{option.sentence}</p>
        </div>
      ))}
    </fieldset>
  );
}

interface AskedProps {
  name: string;
  start: ReturnType<typeof useStart>;
  next: ReturnType<typeof useNextStart>;
  onStart: (begin?: BeginAt) => void;
  onClose: () => void;
}

function Asked({ name, start, next, onStart, onClose }: AskedProps) {
  const [chosen, setChosen] = useState<BeginAt>();
  const options = next.data?.options ?? [];
  const begin = chosen ?? options[0]?.begin;
  return (
    <Ask title={`Start ${name}: its state does not go along`} open onClose={onClose}>
      {begin === undefined ? null : <BeginChoice options={options} value={begin} onChange={setChosen} />}
      <ErrorNote error={start.error} />
      <p className="row">
        <button
          type="button"
          className="button"
          data-kind="primary"
          disabled={start.isPending}
          onClick={() => onStart(begin)}
        >
          {start.isPending ? "Starting…" : "Start"}
        </button>
        <button type="button" className="button" onClick={onClose}>
          Not now
        </button>
      </p>
    </Ask>
  );
}

interface StartButtonProps {
  binding: string;
  name: string;
  words: string;
  label: string;
  /** Why it may not be started; null if it may. */
  reason: string | null;
  onStarted: (run: RunShown) => void;
}

/** Starts a binding; where state would be left behind it says so first, and asks where to begin. */
export function StartButton({ binding, name, words, label, reason, onStarted }: StartButtonProps) {
  const [asking, setAsking] = useState(false);
  const start = useStart();
  const next = useNextStart(binding, false);
  const begin = (at?: BeginAt) =>
    start.mutate(at === undefined ? { binding } : { binding, begin: at }, { onSuccess: onStarted });
  const ask = async () => {
    if (start.isPending || next.isFetching) return;
    const { data } = await next.refetch();
    if (data !== undefined && !data.goes_on && data.options.length > 0) setAsking(true);
    else begin();
  };
  const busy = start.isPending || next.isFetching;
  return (
    <>
      {asking ? null : <ErrorNote error={start.error} />}
      <ReasonedButton reason={reason} kind="primary" aria-label={label} aria-disabled={busy} onClick={() => void ask()}>
        {busy ? "Starting…" : words}
      </ReasonedButton>
      {asking ? <Asked name={name} start={start} next={next} onStart={begin} onClose={() => setAsking(false)} /> : null}
    </>
  );
}

/** What the next start does with what is kept now, in words. */
export function NextStartWords({ binding }: { binding: string }) {
  const next = useNextStart(binding, true);
  if (next.isPending) return <Waiting>Asking what is kept…</Waiting>;
  if (next.isError) return <ErrorNote error={next.error} onRetry={() => void next.refetch()} />;
  if (next.data.goes_on)
    return (
      <p>
        What is open is kept, and the next start goes on where this run stopped, as long as its query, its streams and
        their settings are not changed until then.
      </p>
    );
  return <p>The next start, as the binding is now: {next.data.sentence}</p>;
}
