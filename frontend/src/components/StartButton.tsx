import { useState } from "react";
import { ApiFailure } from "../lib/api";
import { type AskedInput, isOutdated, type KeptBegin, useNextStart, useStart, useTimeline } from "../lib/runControl";
import type { NextStart, RunShown } from "../model/api";
import { Ask } from "./Ask";
import { MendLinks } from "./MendLinks";
import { OpenWords, titleOf } from "./NextStartWords";
import { NodeDifferences } from "./NodeDifferences";
import { ErrorNote } from "./Notices";
import { notAgain, ReadAgain } from "./ReadAgain";
import { ReasonedButton } from "./Reasoned";

type Option = NextStart["options"][number];

interface ChoiceProps {
  options: readonly Option[];
  value: KeptBegin;
  asked: readonly AskedInput[];
  onChange: (value: KeptBegin) => void;
}

function BeginChoice({ options, value, asked, onChange }: ChoiceProps) {
  return (
    <fieldset className="group stack">
      <legend>Where it begins</legend>
      {options.map((option) => {
        const isGone = notAgain(option.begin, asked) !== null;
        return (
          <div key={option.begin}>
            <label className="row choice">
              <input
                type="radio"
                name="begin"
                value={option.begin}
                checked={option.begin === value}
                onChange={() => onChange(option.begin)}
              />
              <strong>{titleOf(option, isGone)}</strong>
            </label>
            {isGone ? null : <p className="quiet small">{option.sentence}</p>}
            {option.begin === "oldest_open" ? <ReadAgain asked={asked} /> : null}
          </div>
        );
      })}
    </fieldset>
  );
}

/** What the inputs say of the rows that would be read again, where that is offered. */
function useHeldAgain(binding: string, options: readonly Option[]): readonly AskedInput[] {
  const wanted = options.some((option) => option.begin === "oldest_open");
  return useTimeline(binding, null, { wanted }).inputs ?? [];
}

interface AskedProps {
  binding: string;
  name: string;
  start: ReturnType<typeof useStart>;
  next: ReturnType<typeof useNextStart>;
  onStart: (begin?: KeptBegin) => void;
  onClose: () => void;
}

function Asked({ binding, name, start, next, onStart, onClose }: AskedProps) {
  const [chosen, setChosen] = useState<KeptBegin>();
  const options = next.data?.options ?? [];
  const begin = (options.find((option) => option.begin === chosen) ?? options[0])?.begin;
  const carried = options.some((option) => option.begin === "carried_over");
  const asked = useHeldAgain(binding, options);
  return (
    <Ask
      title={`Start ${name}: ${carried ? "what becomes of its state" : "its state does not go along"}`}
      open
      onClose={onClose}
    >
      {next.data?.reason ? <p>{next.data.reason}</p> : null}
      {next.data === undefined ? null : <OpenWords next={next.data} />}
      {next.data === undefined ? null : <NodeDifferences next={next.data} />}
      {begin === undefined ? null : <BeginChoice options={options} value={begin} asked={asked} onChange={setChosen} />}
      <ErrorNote error={start.error} />
      <p className="row">
        <ReasonedButton
          kind="primary"
          reason={notAgain(begin, asked)}
          aria-disabled={start.isPending}
          onClick={() => (start.isPending ? undefined : onStart(begin))}
        >
          {start.isPending ? "Starting…" : "Start"}
        </ReasonedButton>
        <button type="button" className="button" onClick={onClose}>
          Not now
        </button>
      </p>
    </Ask>
  );
}

interface RefusedProps {
  error: Error;
  binding: { id: string; name: string };
  onClose: () => void;
}

/** Why it was not started, in a dialog: the button may stand in a narrow cell of a table. */
function Refused({ error, binding, onClose }: RefusedProps) {
  const tooMuch = error instanceof ApiFailure && error.code === "too_much_work"; // no fault of which names its page
  return (
    <Ask title={`${binding.name} was not started`} open onClose={onClose}>
      <ErrorNote error={error} />
      {tooMuch ? <MendLinks targets={[{ kind: "binding", ...binding }]} /> : null}
      <p className="row">
        <button type="button" className="button" onClick={onClose}>
          Close
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
  const begin = async (shown: string | null, at?: KeptBegin) => {
    const here = window.location.pathname;
    const started = start.mutateAsync({ binding, shown, ...(at === undefined ? {} : { begin: at }) });
    const run = await started.catch((refusal: unknown) => {
      if (isOutdated(refusal)) void next.refetch();
      return null; // why it was refused is said by start.error
    });
    // Once the binding is known to run, the button is gone: what is to be done then must not hang on it.
    if (run !== null && window.location.pathname === here) onStarted(run);
  };
  const ask = async () => {
    if (start.isPending || next.isFetching) return;
    const { data } = await next.refetch();
    if (data !== undefined && !data.goes_on && data.options.length > 0) setAsking(true);
    else await begin(data?.mark ?? null);
  };
  const busy = start.isPending || next.isFetching;
  return (
    <>
      {asking || start.error === null ? null : (
        <Refused error={start.error} binding={{ id: binding, name }} onClose={() => start.reset()} />
      )}
      <ReasonedButton reason={reason} kind="primary" aria-label={label} aria-disabled={busy} onClick={() => void ask()}>
        {busy ? "Starting…" : words}
      </ReasonedButton>
      {asking ? (
        <Asked
          binding={binding}
          name={name}
          start={start}
          next={next}
          onStart={(at) => void begin(next.data?.mark ?? null, at)}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}
