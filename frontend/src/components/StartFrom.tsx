import { type ReactNode, useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { ApiFailure } from "../lib/api";
import {
  type AskedInput,
  isOutdated,
  type KeptBegin,
  type StartWish,
  useNextStart,
  useStart,
  useTimeline,
} from "../lib/runControl";
import type { NextStart, RunShown } from "../model/api";
import {
  beginOf,
  type Chosen,
  fieldOfTick,
  type InputHeld,
  proposed,
  refusalOf,
  type TypedPositions,
  tickOfField,
} from "../model/timeline";
import { Ask } from "./Ask";
import { Elapsed } from "./Elapsed";
import { OpenWords, titleOf } from "./NextStartWords";
import { ErrorNote, Waiting } from "./Notices";
import { notAgain, ReadAgain } from "./ReadAgain";
import { ReasonedButton } from "./Reasoned";
import { Timeline } from "./Timeline";

type Way = "stopped" | KeptBegin | "now" | "time" | "positions";

interface WayShown {
  way: Way;
  title: string;
  /** Null where what its input says takes its place. */
  sentence: string | null;
  /** Whether what it does is said before it is chosen: its name alone would be taken for more than it is. */
  saidFirst?: boolean;
}

const TITLES = {
  stopped: "Where the last run stopped",
  now: "From now",
  time: "From a time",
  positions: "From positions",
  beginning: "From the beginning",
} as const;
const SENTENCES: Record<Exclude<keyof typeof TITLES, "stopped">, string> = {
  now: "It reads what comes after the start is planned. What was open is left behind; results that may lack rows are marked as incomplete.",
  time: "It reads what came at that time or later. Results that are there stay, and are given again where their rows are read again.",
  positions:
    "Each lane begins at the position that you say, in Kafka an offset. Results that are there stay, and are given again where their rows are read again.",
  beginning: "It reads all that is there. Results that are there stay, and are given again.",
};

/** The ways that there are, with what each does, as far as the inputs still have the rows for it. */
function waysOf(next: NextStart, asked: readonly AskedInput[]): WayShown[] {
  const kept = next.options;
  const first: WayShown[] = next.goes_on
    ? [{ way: "stopped", title: TITLES.stopped, sentence: next.sentence }]
    : kept.filter(({ begin }) => begin !== "beginning").map((option) => keptWay(option, asked));
  const beginning = kept.find(({ begin }) => begin === "beginning")?.sentence ?? SENTENCES.beginning;
  const sought = (["now", "time", "positions"] as const).map((way) => ({
    way,
    title: TITLES[way],
    sentence: SENTENCES[way],
  }));
  return [...first, ...sought, { way: "beginning", title: TITLES.beginning, sentence: beginning }];
}

function keptWay(option: NextStart["options"][number], asked: readonly AskedInput[]): WayShown {
  const { begin } = option;
  const isGone = notAgain(begin, asked) !== null;
  const sentence = isGone ? null : option.sentence;
  return { way: begin, title: titleOf(option, isGone), sentence, saidFirst: begin === "old_positions" };
}

function TimeField({ value, latest, onChange }: { value: string; latest: string; onChange: (text: string) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Time (UTC), when rows came</label>
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
  inputs: readonly InputHeld[];
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
        Propose: {propose("stopped", "where the last run stopped")} {propose("earliest", "the earliest")}{" "}
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

interface WaysProps {
  ways: WayShown[];
  chosen: Way;
  /** While it is started: what is shown is what is started. */
  isFixed: boolean;
  onChange: (way: Way) => void;
  /** What belongs to the way that is chosen. */
  children: ReactNode;
}

function Ways({ ways, chosen, isFixed, onChange, children }: WaysProps) {
  return (
    <fieldset className="group stack" disabled={isFixed}>
      <legend>Where it begins</legend>
      {ways.map(({ way, title, sentence, saidFirst }) => (
        <div key={way}>
          <label className="row choice">
            <input type="radio" name="from" checked={way === chosen} onChange={() => onChange(way)} />
            <strong>{title}</strong>
          </label>
          {sentence !== null && (way === chosen || saidFirst === true) ? (
            <p className="quiet small">{sentence}</p>
          ) : null}
          {way === chosen ? children : null}
        </div>
      ))}
    </fieldset>
  );
}

function heldBy(asked: readonly AskedInput[]): InputHeld[] {
  return asked.flatMap(({ shown }) => shown?.inputs ?? []);
}

/** Why it cannot be started yet; null if it can. */
function missing(chosen: Chosen, now: number | undefined, asked: readonly AskedInput[]): string | null {
  const inputs = heldBy(asked);
  const refused = inputs.find((input) => refusalOf(chosen, input) !== null);
  if (refused !== undefined) return `${refused.input} cannot begin so: it says why below.`;
  if (chosen.kind === "positions" && asked.some(({ shown }) => shown === undefined))
    return "Wait until every input has said which positions it holds.";
  if (beginOf(chosen) === null)
    return chosen.kind === "time" ? "Choose a time first." : "Each position is a whole number of at least 0.";
  if (chosen.kind === "time" && now !== undefined && chosen.at !== null && chosen.at > now)
    return "That time has not come yet. Begin now, or choose an earlier time.";
  return null;
}

interface StartFromProps {
  binding: string;
  name: string;
  onStarted: (run: RunShown) => void;
  onClose: () => void;
}

/** What is chosen and typed, as the timeline and the server take it. */
function chosenOf(way: Way, time: string, positions: TypedPositions): Chosen {
  if (way === "time") return { kind: "time", at: tickOfField(time) };
  if (way === "positions") return { kind: "positions", typed: positions };
  return { kind: "word", word: way };
}

/** Why the state of the last run does not go on, and what it left open. */
function Before({ next }: { next: NextStart }) {
  return (
    <>
      {next.goes_on || next.reason === null ? null : <p>{next.reason}</p>}
      <OpenWords next={next} />
    </>
  );
}

function Held({ timeline, chosen }: { timeline: ReturnType<typeof useTimeline>; chosen: Chosen }) {
  if (timeline.inputs !== null) return <Timeline asked={timeline.inputs} chosen={chosen} />;
  if (timeline.error !== null) return <ErrorNote error={timeline.error} onRetry={timeline.retry} />;
  return <Waiting>Asking which inputs it has…</Waiting>;
}

/** The inputs that have to be asked before a start that was refused for that; none where it was not. */
function unasked(refusal: unknown): string[] {
  const asks = refusal instanceof ApiFailure && refusal.code === "inputs_not_asked";
  return asks ? refusal.faults.flatMap(({ node }) => node ?? []) : [];
}

/**
 * Starts a binding while the dialog is open: inputs of which nothing is known any more are asked first. Whoever closes
 * it meanwhile starts nothing. A run that was started is told also where the dialog went away by itself: as soon as the
 * binding is known to run, the button that holds it is gone.
 */
function useAskedStart(ask: (inputs: string[]) => Promise<void>, onClose: () => void) {
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
  const again = async (refusal: unknown, wish: StartWish) => {
    const inputs = unasked(refusal);
    if (inputs.length === 0) throw refusal;
    setAsking(true);
    await ask(inputs).finally(() => setAsking(false));
    return isOpen.current ? await start.mutateAsync(wish) : null;
  };
  const begin = async (wish: StartWish, onStarted: (run: RunShown) => void, onOutdated: () => void) => {
    const here = window.location.pathname;
    try {
      const run = await start.mutateAsync(wish).catch((refusal: unknown) => again(refusal, wish));
      if (run !== null && !wasClosed.current && window.location.pathname === here) onStarted(run);
    } catch (refusal) {
      if (isOutdated(refusal)) onOutdated(); // the refusal itself stands in `error`
    }
  };
  return { begin, close, isAsking, isStarting: start.isPending, error: isAsking ? null : start.error };
}

function StartProgress({ isAsking, isStarting }: { isAsking: boolean; isStarting: boolean }) {
  if (isAsking) return <Waiting>Nothing is started yet: its inputs are asked first, above.</Waiting>;
  if (!isStarting) return null;
  return (
    <Waiting>
      Trying its query, its inputs and its outputs… <Elapsed />
    </Waiting>
  );
}

/** What belongs to `way`, of those that have something. */
function WayParts({ way, ...parts }: { way: Way } & Partial<Record<Way, ReactNode>>) {
  return parts[way as keyof typeof parts] ?? null;
}

function usualWay(next: NextStart): Way {
  return next.goes_on ? "stopped" : (next.options[0]?.begin ?? "beginning");
}

function wishOf(binding: string, next: NextStart, chosen: Chosen): StartWish {
  const at = beginOf(chosen);
  return { binding, shown: next.mark, ...(at == null ? {} : { begin: at }) };
}

interface AskedProps extends StartFromProps {
  next: NextStart;
  onOutdated: () => void;
}

function Asked({ binding, name, next, onStarted, onOutdated, onClose }: AskedProps) {
  const [wanted, setWay] = useState<Way>();
  const [time, setTime] = useState("");
  const [typed, setTyped] = useState<TypedPositions>();
  const since = useDeferredValue(tickOfField(time));
  const timeline = useTimeline(binding, wanted === "time" ? since : null);
  const asked = timeline.inputs ?? [];
  const ways = waysOf(next, asked);
  const way = ways.find((each) => each.way === wanted)?.way ?? usualWay(next);
  const start = useAskedStart(timeline.ask, onClose);
  const inputs = heldBy(asked);
  const positions = { ...proposed(inputs, "stopped"), ...typed };
  const chosen = chosenOf(way, time, positions);
  const now = asked.find(({ shown }) => shown !== undefined)?.shown?.at;
  const isBusy = start.isAsking || start.isStarting;
  const begin = () => {
    if (!isBusy) void start.begin(wishOf(binding, next, chosen), onStarted, onOutdated);
  };
  return (
    <Ask title={`Start ${name} from…`} open onClose={start.close} wide>
      <Before next={next} />
      <Ways ways={ways} chosen={way} isFixed={isBusy} onChange={setWay}>
        <WayParts
          oldest_open={<ReadAgain asked={asked} />}
          time={<TimeField value={time} latest={now === undefined ? "" : fieldOfTick(now)} onChange={setTime} />}
          positions={<PositionFields inputs={inputs} typed={positions} onChange={setTyped} />}
          way={way}
        />
      </Ways>
      <Held timeline={timeline} chosen={chosen} />
      <StartProgress isAsking={start.isAsking} isStarting={start.isStarting} />
      <ErrorNote error={start.error} />
      <p className="row">
        <ReasonedButton
          kind="primary"
          reason={notAgain(way, asked) ?? missing(chosen, now, asked)}
          aria-disabled={isBusy}
          onClick={begin}
        >
          {isBusy ? "Starting…" : "Start"}
        </ReasonedButton>
        <button type="button" className="button" onClick={start.close}>
          Not now
        </button>
      </p>
    </Ask>
  );
}

/** Asks where a binding begins, on the timeline of its inputs, and starts it there. */
export function StartFrom(props: StartFromProps) {
  const next = useNextStart(props.binding, true);
  if (next.data !== undefined) return <Asked {...props} next={next.data} onOutdated={() => void next.refetch()} />;
  return (
    <Ask title={`Start ${props.name} from…`} open onClose={props.onClose}>
      {next.isPending ? <Waiting>Asking what is kept…</Waiting> : null}
      <ErrorNote error={next.error} onRetry={() => void next.refetch()} />
    </Ask>
  );
}
