import { type ReactNode, useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { ApiFailure } from "../../lib/api/client";
import {
  type CheckedInput,
  isOutdated,
  type KeptBegin,
  type StartChoice,
  useNextStart,
  useStart,
  useTimeline,
} from "../../lib/resources/runControl";
import type { NextStart, RunResponse } from "../../model/api";
import {
  beginOf,
  type Chosen,
  fieldOfTick,
  type InputContents,
  proposed,
  refusalOf,
  type TypedPositions,
  tickOfField,
} from "../../model/binding/timeline";
import { ModalDialog } from "../actions/ModalDialog";
import { ReasonedButton } from "../actions/Reasoned";
import { ErrorNote, Waiting } from "../notices/Notices";
import { Elapsed } from "../values/Elapsed";
import { deliveredWords, OpenWords, titleOf } from "./NextStartWords";
import { notAgain, RereadCheck } from "./RereadCheck";
import { Timeline } from "./Timeline";

type Way = "stopped" | KeptBegin | "now" | "time" | "positions";

interface StartOption {
  way: Way;
  title: string;
  /** Null if the input's message takes its place. */
  sentence: string | null;
  /** True if the effect is displayed before it is selected, because the title alone promises too much. */
  showsEffectFirst?: boolean;
}

const TITLES = {
  stopped: "Where the last run stopped",
  now: "From now",
  time: "From a time",
  positions: "From positions",
  beginning: "From the beginning",
} as const;
const SENTENCES: Record<Exclude<keyof typeof TITLES, "stopped">, string> = {
  now: "Reads rows that arrive after the start. Open windows are dropped; results that may lack rows are marked as incomplete.",
  time: "Reads rows that arrived at that time or later. Existing results stay; those whose rows are read again are repeated.",
  positions:
    "Each lane starts at the position that you enter (in Kafka, an offset). Existing results stay; those whose rows are read again are repeated.",
  beginning: "Reads all existing rows. Existing results stay and are repeated.",
};

/** Return the start options, each with its effect, as far as the inputs still have the rows. */
function startOptions(next: NextStart, asked: readonly CheckedInput[]): StartOption[] {
  const kept = next.options;
  const first: StartOption[] = next.goes_on
    ? [{ way: "stopped", title: TITLES.stopped, sentence: next.sentence }]
    : kept.filter(({ begin }) => begin !== "beginning").map((option) => stateOption(option, asked, next.inputs_ended));
  const delivered = deliveredWords(next.delivers_to);
  const beginning = kept.find(({ begin }) => begin === "beginning")?.sentence ?? `${SENTENCES.beginning}${delivered}`;
  const sought = (["now", "time", "positions"] as const).map((way) => ({
    way,
    title: TITLES[way],
    sentence: `${SENTENCES[way]}${way === "now" ? "" : delivered}`,
  }));
  return [...first, ...sought, { way: "beginning", title: TITLES.beginning, sentence: beginning }];
}

function stateOption(
  option: NextStart["options"][number],
  asked: readonly CheckedInput[],
  isEnded: boolean,
): StartOption {
  const { begin } = option;
  const isGone = !isEnded && notAgain(begin, asked) !== null;
  const sentence = isGone ? null : option.sentence;
  return {
    way: begin,
    title: titleOf(option, { isGone, isEnded }),
    sentence,
    showsEffectFirst: begin === "old_positions",
  };
}

function TimeField({ value, latest, onChange }: { value: string; latest: string; onChange: (text: string) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Arrival time (UTC)</label>
      <input
        id={id}
        type="datetime-local"
        step={1}
        max={latest}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

interface PositionsProps {
  inputs: readonly InputContents[];
  typed: TypedPositions;
  onChange: (typed: TypedPositions) => void;
}

function PositionFields({ inputs, typed, onChange }: PositionsProps) {
  const propose = (which: "stopped" | "earliest" | "end", words: string) => (
    <button type="button" className="link" onClick={() => onChange(proposed(inputs, which))}>
      {words}
    </button>
  );
  return (
    <div className="stack">
      <p className="row small">
        Fill in: {propose("stopped", "where the last run stopped")} {propose("earliest", "the earliest")}{" "}
        {propose("end", "now")}
      </p>
      {inputs.map((input) => (
        <fieldset key={input.input} className="group positions">
          <legend>{input.input}</legend>
          {input.lanes.map(({ lane }) => (
            <label key={lane} className="field">
              <span>Lane {lane}</span>
              <input
                inputMode="numeric"
                value={typed[input.input]?.[lane] ?? ""}
                onChange={(event) =>
                  onChange({ ...typed, [input.input]: { ...typed[input.input], [lane]: event.target.value } })
                }
              />
            </label>
          ))}
        </fieldset>
      ))}
    </div>
  );
}

interface StartOptionsProps {
  ways: StartOption[];
  chosen: Way;
  /** True during the start: the displayed choice can't change any more. */
  isFixed: boolean;
  onChange: (way: Way) => void;
  /** The fields of the selected option. */
  children: ReactNode;
}

function StartOptions({ ways, chosen, isFixed, onChange, children }: StartOptionsProps) {
  return (
    <fieldset className="group stack" disabled={isFixed}>
      <legend>Start position</legend>
      {ways.map(({ way, title, sentence, showsEffectFirst }) => (
        <div key={way}>
          <label className="row choice">
            <input type="radio" name="from" checked={way === chosen} onChange={() => onChange(way)} />
            <strong>{title}</strong>
          </label>
          {sentence !== null && (way === chosen || showsEffectFirst === true) ? (
            <p className="quiet small">{sentence}</p>
          ) : null}
          {way === chosen ? children : null}
        </div>
      ))}
    </fieldset>
  );
}

function inputContents(asked: readonly CheckedInput[]): InputContents[] {
  return asked.flatMap(({ shown }) => shown?.inputs ?? []);
}

/** Return why it can't be started yet; null if it can. */
function missing(chosen: Chosen, now: number | undefined, asked: readonly CheckedInput[]): string | null {
  const inputs = inputContents(asked);
  const refused = inputs.find((input) => refusalOf(chosen, input) !== null);
  if (refused !== undefined) return `${refused.input} can't start there. See the reason below.`;
  if (chosen.kind === "positions" && asked.some(({ shown }) => shown === undefined))
    return "Wait until every input has reported its positions.";
  if (beginOf(chosen) === null)
    return chosen.kind === "time" ? "Choose a time first." : "Each position must be a whole number of at least 0.";
  if (chosen.kind === "time" && now !== undefined && chosen.at !== null && chosen.at > now)
    return "That time is in the future. Start from now, or choose an earlier time.";
  return null;
}

interface StartFromProps {
  binding: string;
  name: string;
  onStarted: (run: RunResponse) => void;
  onClose: () => void;
}

/** Return the selected option and its input, as the timeline and the server take it. */
function chosenOf(way: Way, time: string, positions: TypedPositions): Chosen {
  if (way === "time") return { kind: "time", at: tickOfField(time) };
  if (way === "positions") return { kind: "positions", typed: positions };
  return { kind: "word", word: way };
}

/** The reason why the last run's state can't be used, and its open state. */
function PreviousState({ next }: { next: NextStart }) {
  return (
    <>
      {next.goes_on || next.reason === null ? null : <p>{next.reason}</p>}
      <OpenWords next={next} />
    </>
  );
}

function InputTimeline({ timeline, chosen }: { timeline: ReturnType<typeof useTimeline>; chosen: Chosen }) {
  if (timeline.inputs !== null) return <Timeline asked={timeline.inputs} chosen={chosen} />;
  if (timeline.error !== null) return <ErrorNote error={timeline.error} onRetry={timeline.retry} />;
  return <Waiting>Loading its inputs…</Waiting>;
}

/** Return the inputs to check after a start was refused because they are unknown; otherwise empty. */
function uncheckedInputs(refusal: unknown): string[] {
  const asks = refusal instanceof ApiFailure && refusal.code === "inputs_not_asked";
  return asks ? refusal.faults.flatMap(({ node }) => node ?? []) : [];
}

/**
 * Start a binding while the dialog is open, after checking inputs whose state is unknown. Closing the dialog cancels the
 * start. A successful start is reported even if the dialog has unmounted: as soon as the binding runs, the button that
 * contains it is gone.
 */
function useCheckedStart(ask: (inputs: string[]) => Promise<void>, onClose: () => void) {
  const start = useStart();
  const [isAsking, setAsking] = useState(false);
  const isOpen = useRef(false);
  const wasClosed = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const close = () => {
    wasClosed.current = true;
    onClose();
  };
  const again = async (refusal: unknown, wish: StartChoice) => {
    const inputs = uncheckedInputs(refusal);
    if (inputs.length === 0) throw refusal;
    setAsking(true);
    await ask(inputs).finally(() => setAsking(false));
    return isOpen.current ? await start.mutateAsync(wish) : null;
  };
  const begin = async (wish: StartChoice, onStarted: (run: RunResponse) => void, onOutdated: () => void) => {
    const here = window.location.pathname;
    try {
      const run = await start.mutateAsync(wish).catch((refusal: unknown) => again(refusal, wish));
      if (run !== null && !wasClosed.current && window.location.pathname === here) onStarted(run);
    } catch (refusal) {
      if (isOutdated(refusal)) onOutdated(); // `error` has the refusal itself
    }
  };
  return { begin, close, isAsking, isStarting: start.isPending, error: isAsking ? null : start.error };
}

function StartProgress({ isAsking, isStarting }: { isAsking: boolean; isStarting: boolean }) {
  if (isAsking) return <Waiting>Not started yet: its inputs are checked first, above.</Waiting>;
  if (!isStarting) return null;
  return (
    <Waiting>
      Checking its query, inputs and outputs… <Elapsed />
    </Waiting>
  );
}

/** The part for `way`, if it has one. */
function OptionParts({ way, ...parts }: { way: Way } & Partial<Record<Way, ReactNode>>) {
  return parts[way as keyof typeof parts] ?? null;
}

function defaultOption(next: NextStart): Way {
  return next.goes_on ? "stopped" : (next.options[0]?.begin ?? "beginning");
}

function startChoice(binding: string, next: NextStart, chosen: Chosen): StartChoice {
  const at = beginOf(chosen);
  return { binding, shown: next.mark, ...(at == null ? {} : { begin: at }) };
}

interface StartDialogProps extends StartFromProps {
  next: NextStart;
  onOutdated: () => void;
}

function StartDialog({ binding, name, next, onStarted, onOutdated, onClose }: StartDialogProps) {
  const [wanted, setWay] = useState<Way>();
  const [time, setTime] = useState("");
  const [typed, setTyped] = useState<TypedPositions>();
  const since = useDeferredValue(tickOfField(time));
  const timeline = useTimeline(binding, wanted === "time" ? since : null);
  const asked = timeline.inputs ?? [];
  const ways = startOptions(next, asked);
  const way = ways.find((each) => each.way === wanted)?.way ?? defaultOption(next);
  const start = useCheckedStart(timeline.ask, onClose);
  const inputs = inputContents(asked);
  const positions = { ...proposed(inputs, "stopped"), ...typed };
  const chosen = chosenOf(way, time, positions);
  const now = asked.find(({ shown }) => shown !== undefined)?.shown?.at;
  const isBusy = start.isAsking || start.isStarting;
  const begin = () => {
    if (!isBusy) void start.begin(startChoice(binding, next, chosen), onStarted, onOutdated);
  };
  return (
    <ModalDialog title={`Start ${name} from…`} open onClose={start.close} wide>
      <PreviousState next={next} />
      <StartOptions ways={ways} chosen={way} isFixed={isBusy} onChange={setWay}>
        <OptionParts
          oldest_open={next.inputs_ended ? null : <RereadCheck asked={asked} />}
          time={<TimeField value={time} latest={now === undefined ? "" : fieldOfTick(now)} onChange={setTime} />}
          positions={<PositionFields inputs={inputs} typed={positions} onChange={setTyped} />}
          way={way}
        />
      </StartOptions>
      <InputTimeline timeline={timeline} chosen={chosen} />
      <StartProgress isAsking={start.isAsking} isStarting={start.isStarting} />
      <ErrorNote error={start.error} />
      <p className="row">
        <ReasonedButton
          kind="primary"
          reason={(next.inputs_ended ? null : notAgain(way, asked)) ?? missing(chosen, now, asked)}
          aria-disabled={isBusy}
          onClick={begin}
        >
          {isBusy ? "Starting…" : "Start"}
        </ReasonedButton>
        <button type="button" className="button" onClick={start.close}>
          Not now
        </button>
      </p>
    </ModalDialog>
  );
}

/** Ask for the start position of a binding on the timeline of its inputs, and start it there. */
export function StartFrom(props: StartFromProps) {
  const next = useNextStart(props.binding, true);
  if (next.data !== undefined)
    return <StartDialog {...props} next={next.data} onOutdated={() => void next.refetch()} />;
  return (
    <ModalDialog title={`Start ${props.name} from…`} open onClose={props.onClose}>
      {next.isPending ? <Waiting>Loading the saved state…</Waiting> : null}
      <ErrorNote error={next.error} onRetry={() => void next.refetch()} />
    </ModalDialog>
  );
}
