import { type ReactNode, useState } from "react";
import { ApiFailure } from "../../lib/api/client";
import {
  type CheckedInput,
  isOutdated,
  type KeptBegin,
  useNextStart,
  useStart,
  useTimeline,
} from "../../lib/resources/runControl";
import type { NextStart, RunResponse } from "../../model/api";
import { ModalDialog } from "../actions/ModalDialog";
import { ReasonedButton } from "../actions/Reasoned";
import { FixLinks } from "../notices/FixLinks";
import { ErrorNote } from "../notices/Notices";
import { OpenWords, titleOf } from "./NextStartWords";
import { NodeDifferences } from "./NodeDifferences";
import { notAgain, RereadCheck } from "./RereadCheck";
import { draftsOf, useSaveFirst } from "./SaveFirst";

type Option = NextStart["options"][number];

interface ChoiceProps {
  options: readonly Option[];
  /** True if the last run read its inputs to their end. */
  isEnded: boolean;
  value: KeptBegin;
  asked: readonly CheckedInput[];
  onChange: (value: KeptBegin) => void;
}

function BeginChoice({ options, isEnded, value, asked, onChange }: ChoiceProps) {
  return (
    <fieldset className="group stack">
      <legend>Start position</legend>
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
              <strong>{titleOf(option, { isGone, isEnded })}</strong>
            </label>
            {isGone ? null : <p className="quiet small">{option.sentence}</p>}
            {option.begin === "oldest_open" ? <RereadCheck asked={asked} /> : null}
          </div>
        );
      })}
    </fieldset>
  );
}

/** Return which rows the inputs still have, for the options that read rows again. */
function useRereadInputs(binding: string, options: readonly Option[], isEnded: boolean): readonly CheckedInput[] {
  const wanted = !isEnded && options.some((option) => option.begin === "oldest_open");
  return useTimeline(binding, null, { wanted }).inputs ?? [];
}

interface StartDialogProps {
  binding: string;
  name: string;
  start: ReturnType<typeof useStart>;
  next: ReturnType<typeof useNextStart>;
  onStart: (begin?: KeptBegin) => void;
  onClose: () => void;
}

function StartDialog({ binding, name, start, next, onStart, onClose }: StartDialogProps) {
  const [chosen, setChosen] = useState<KeptBegin>();
  const options = next.data?.options ?? [];
  const begin = (options.find((option) => option.begin === chosen) ?? options[0])?.begin;
  const carried = options.some((option) => option.begin === "carried_over");
  const isEnded = next.data?.inputs_ended ?? false;
  const asked = useRereadInputs(binding, options, isEnded);
  const lost = carried ? "choose what happens to its state" : "without its previous state";
  return (
    <ModalDialog
      title={`Start ${name}: ${isEnded ? "its inputs were read to their end" : lost}`}
      open
      onClose={onClose}
    >
      {next.data?.reason ? <p>{next.data.reason}</p> : null}
      {next.data === undefined ? null : <OpenWords next={next.data} />}
      {next.data === undefined ? null : <NodeDifferences next={next.data} />}
      {begin === undefined ? null : <BeginChoice {...{ options, isEnded, asked }} value={begin} onChange={setChosen} />}
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
    </ModalDialog>
  );
}

interface RefusedProps {
  error: Error;
  binding: { id: string; name: string };
  onClose: () => void;
}

/** The reason why it was not started. A dialog, because the button may be in a narrow table cell. */
function Refused({ error, binding, onClose }: RefusedProps) {
  const tooMuch = error instanceof ApiFailure && error.code === "too_much_work"; // its errors do not name the page
  return (
    <ModalDialog title={`${binding.name} was not started`} open onClose={onClose}>
      <ErrorNote error={error} />
      {tooMuch ? <FixLinks targets={[{ kind: "binding", ...binding }]} /> : null}
      <p className="row">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </p>
    </ModalDialog>
  );
}

/** A binding to start. */
export interface Startable {
  binding: string;
  name: string;
  onStarted: (run: RunResponse) => void;
}

interface Starting {
  /** Start it; if state would be lost, ask for a start position first. */
  ask: () => void;
  isBusy: boolean;
  /** The questions, and the reason for a refusal. */
  dialogs: ReactNode;
}

/** Start a binding from a button of any kind, which also shows the dialogs. */
export function useStarting({ binding, name, onStarted }: Startable): Starting {
  const [asking, setAsking] = useState(false);
  const start = useStart();
  const next = useNextStart(binding, false);
  const begin = async (shown: string | null, at?: KeptBegin) => {
    const here = window.location.pathname;
    const started = start.mutateAsync({ binding, shown, ...(at === undefined ? {} : { begin: at }) });
    const run = await started.catch((refusal: unknown) => {
      if (isOutdated(refusal)) void next.refetch();
      return null; // start.error explains the refusal
    });
    // Once the binding is known to run, its button unmounts; the next step must not depend on it.
    if (run !== null && window.location.pathname === here) onStarted(run);
  };
  const askBegin = async () => {
    if (start.isPending || next.isFetching) return;
    const { data } = await next.refetch();
    if (data !== undefined && !data.goes_on && data.options.length > 0) setAsking(true);
    else await begin(data?.mark ?? null);
  };
  const { guard, question } = useSaveFirst(name, draftsOf(binding));
  const refused = asking ? null : start.error;
  return {
    ask: () => guard(() => void askBegin()),
    isBusy: start.isPending || next.isFetching,
    dialogs: (
      <>
        {question}
        {refused === null ? null : (
          <Refused error={refused} binding={{ id: binding, name }} onClose={() => start.reset()} />
        )}
        {asking ? (
          <StartDialog
            binding={binding}
            name={name}
            start={start}
            next={next}
            onStart={(at) => void begin(next.data?.mark ?? null, at)}
            onClose={() => setAsking(false)}
          />
        ) : null}
      </>
    ),
  };
}
