import { Sparkline } from "../../components/values/Sparkline";
import { counted, formatCount, formatShare } from "../../lib/numbers";
import type { TileLateness } from "../../model/api";
import type { LatenessTile } from "../../model/boards/tiles";
import { OUTCOME_WORDS, OUTCOMES } from "../../model/run/outcomes";
import { formatInstant, formatSpan } from "../../model/time/ticks";

const TRUST_WORDS: Record<TileLateness["trust"], readonly [string, string]> = {
  complete: ["Yes", "good"],
  short: ["No", "bad"],
  unknown: ["Not known", "unknown"],
  stopped: ["Stopped", "idle"],
};

function Trust({ shown: { trust, sentence, since, blame } }: { shown: TileLateness }) {
  const [word, tone] = TRUST_WORDS[trust];
  return (
    <>
      <p className="tile-figure" data-tone={tone}>
        {word}
      </p>
      <p>{sentence.replace(/^(Yes|No|Not known)[:,.] ?/, "")}</p>
      <p className="quiet">
        {since === null ? "" : `Since ${formatInstant(since).slice(0, 16)} UTC. `}
        {blame}
      </p>
    </>
  );
}

function Outcomes({ shown: { outcomes, received, steps, unknown_steps } }: { shown: TileLateness }) {
  const present = OUTCOMES.filter((outcome) => (outcomes[outcome] ?? 0) > 0);
  return (
    <>
      <svg className="tile-outcomes" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        {present.map((outcome, index) => {
          const share = (rows: number) => (100 * rows) / received;
          const before = present.slice(0, index).reduce((sum, each) => sum + (outcomes[each] ?? 0), 0);
          const width = share(outcomes[outcome] ?? 0);
          return <rect key={outcome} x={share(before)} width={width} height={1} fill={`var(--${outcome})`} />;
        })}
      </svg>
      <ul className="tile-legend">
        {present.map((outcome) => (
          <li key={outcome}>
            <span className="key" style={{ background: `var(--${outcome})` }} /> {OUTCOME_WORDS[outcome].label}{" "}
            <strong>{formatCount(outcomes[outcome] ?? 0)}</strong>
          </li>
        ))}
      </ul>
      <p className="quiet">
        {received === 0 ? "No rows in this range" : counted(received, "row")}
        {unknown_steps === 0 ? "" : ` · ${counted(unknown_steps, "step")} of ${steps} may lack reports`}
      </p>
    </>
  );
}

function Lag({ shown: { lag, lags } }: { shown: TileLateness }) {
  const known = lags.filter((each) => each !== null);
  const words =
    known.length === 0
      ? "No lag was reported in this range"
      : `largest in this range ${formatSpan(Math.max(...known))}`;
  return (
    <>
      <p className="tile-figure">{lag === null ? "unknown" : formatSpan(lag)}</p>
      <Sparkline values={lags} label={`Lag: ${words}`} width={200} height={36} />
      <p className="quiet">{words}</p>
    </>
  );
}

function Lateness({ shown: { outcomes, received, inputs } }: { shown: TileLateness }) {
  const late = ["adjusted", "shifted", "dropped_late"].reduce((sum, name) => sum + (outcomes[name] ?? 0), 0);
  const newest = (values: readonly (number | null)[]) => values.findLast((each) => each !== null) ?? null;
  const words = inputs.map(({ name, most, delay }) => {
    const behind = newest(most);
    const distance = behind === null ? "distances not reported" : `99 % within ${formatSpan(behind)}`;
    return `${name}: ${distance}, ${delay === null ? "delay not reported" : `delay ${formatSpan(delay)}`}`;
  });
  return (
    <>
      <p className="tile-figure">{formatCount(late)}</p>
      <p>
        {received === 0
          ? "No rows in this range"
          : `late, ${formatShare(late, received)} of ${counted(received, "row")}`}
      </p>
      {inputs.map(({ name, most }) => (
        <Sparkline
          key={name}
          values={most}
          label={`Distances of the rows of ${name} from its newest one`}
          width={200}
          height={36}
        />
      ))}
      <p className="quiet">{words.join(" · ")}</p>
    </>
  );
}

const BODIES = { trust: Trust, outcomes: Outcomes, lag: Lag, lateness: Lateness } as const;

/** The figures of a lateness tile. */
export function LatenessFigures({ kind, shown }: { kind: LatenessTile["kind"]; shown: TileLateness }) {
  const Body = BODIES[kind];
  return (
    <div className="tile-figures">
      <Body shown={shown} />
    </div>
  );
}
