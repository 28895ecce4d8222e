import { type ReactNode, useState } from "react";
import { ActionButton } from "../../../components/ActionButton";
import { SelectField, TextField } from "../../../components/Field";
import { ErrorNote } from "../../../components/Notices";
import { api, unwrap } from "../../../lib/api";
import { useBindingChoices } from "../../../lib/bindings";
import { useSlug } from "../../../lib/session";
import type { SampleTaken } from "../../../model/api";
import { counted } from "../../../model/counts";
import { useDesigner } from "../page/designer";
import { type SamplePanelProps, Taken } from "./SamplePanel";
import { rowOf } from "./takenRows";

type SourceProps = SamplePanelProps & { stream: string };

function notesOf({ notes }: SampleTaken): string[] {
  return notes.map(({ row, message }) => (row === null || row === undefined ? message : `Row ${row}: ${message}`));
}

interface AskedSourceProps extends SourceProps {
  words: readonly [string, string];
  from: string;
  ask: () => Promise<SampleTaken>;
  children?: ReactNode;
}

/** Asks for rows, shows how many came, and lets them be taken. */
function AskedSource({ words, from, ask, children, ...props }: AskedSourceProps) {
  const [taken, setTaken] = useState<SampleTaken | null>(null);
  return (
    <div className="stack">
      {children}
      <p>
        <ActionButton words={words} act={ask} onDone={setTaken} />
      </p>
      {taken === null ? null : taken.rows.length === 0 ? (
        <p className="quiet">There are no rows. {notesOf(taken).join(" ")}</p>
      ) : (
        <Taken {...props} read={{ rows: taken.rows.map(rowOf), notes: notesOf(taken) }} from={from} />
      )}
    </div>
  );
}

/** The first rows that the stream's adapter reads. */
export function FromStream(props: SourceProps) {
  const slug = useSlug();
  const [rows, setRows] = useState("100");
  const { stream } = props;
  const ask = () =>
    unwrap(
      api.POST("/api/t/{slug}/samples/stream/", { params: { path: { slug } }, body: { stream, rows: Number(rows) } }),
    );
  return (
    <AskedSource
      {...props}
      words={[`Read the first rows of ${stream}`, "Reading…"]}
      from={`read from ${stream}`}
      ask={ask}
    >
      <TextField
        label="How many rows"
        value={rows}
        onChange={setRows}
        help="Up to 1,000, as the stream's adapter reads them."
      />
    </AskedSource>
  );
}

const DIALS = [
  ["rows", "How many rows", "Up to 5,000."],
  ["rate", "Rows a second of event time", "1 is a row each second."],
  ["late_share", "Share that comes late", "From 0 to 1: 0.2 is one in five."],
  ["late_mean", "How late on average", "A duration, such as 5s."],
  ["late_max", "How late at most", "A duration, such as 1m."],
  ["malformed_share", "Share that cannot be read", "From 0 to 1."],
  ["seed", "Seed", "The same seed makes the same rows."],
] as const;
type Dial = (typeof DIALS)[number][0];
const LENGTHS: ReadonlySet<Dial> = new Set(["late_mean", "late_max"]);
const BEGINNING: Record<Dial, string> = {
  rows: "40",
  rate: "1",
  late_share: "0.2",
  late_mean: "5s",
  late_max: "1m",
  malformed_share: "0",
  seed: "1",
};

/** Rows that are made up, as late as a person wants them. */
export function Generated(props: SourceProps) {
  const slug = useSlug();
  const [dials, setDials] = useState(BEGINNING);
  const { stream } = props;
  const ask = () => {
    const said = DIALS.map(([name]) => [name, LENGTHS.has(name) ? dials[name] : Number(dials[name])] as const);
    const body = { stream, ...Object.fromEntries(said) };
    return unwrap(api.POST("/api/t/{slug}/samples/generated/", { params: { path: { slug } }, body }));
  };
  return (
    <AskedSource {...props} words={["Make rows", "Making rows…"]} from="generated" ask={ask}>
      <div className="schema">
        {DIALS.map(([name, label, help]) => (
          <TextField
            key={name}
            label={label}
            help={help}
            value={dials[name]}
            onChange={(text) => setDials({ ...dials, [name]: text })}
          />
        ))}
      </div>
    </AskedSource>
  );
}

const OF_BINDING = {
  quarantine: {
    words: ["Take the newest of its quarantine", "Reading…"],
    from: (binding: string) => `from the quarantine of ${binding}`,
    help: `${counted(100, "row")} at most, oldest first: only what was late or malformed.`,
  },
  running: {
    words: ["Read what it read last", "Reading…"],
    from: (binding: string) => `that ${binding} read last`,
    help: `The last ${counted(100, "row")} of each lane, read again through its adapters; those that were in time, too.`,
  },
} as const;

/** Rows that a binding has read. */
function OfBinding({ kind, ...props }: SourceProps & { kind: keyof typeof OF_BINDING }) {
  const slug = useSlug();
  const bindings = useBindingChoices();
  const [chosen, setChosen] = useState("");
  const { query } = useDesigner();
  const own = bindings.data?.find((each) => each.query === query?.id);
  const binding = bindings.data?.find((each) => each.id === chosen) ?? own ?? bindings.data?.[0];
  if (bindings.isError) return <ErrorNote error={bindings.error} onRetry={() => void bindings.refetch()} />;
  if (bindings.data === undefined) return <p className="quiet">Loading the bindings…</p>;
  if (binding === undefined) return <p className="quiet">There is no binding yet, so nothing was read.</p>;
  const { words, from, help } = OF_BINDING[kind];
  const asked = { params: { path: { slug } }, body: { binding: binding.id, rows: 100 } };
  const ask = () =>
    unwrap(
      kind === "quarantine"
        ? api.POST("/api/t/{slug}/samples/quarantine/", asked)
        : api.POST("/api/t/{slug}/samples/running/", asked),
    );
  return (
    <AskedSource key={binding.id} {...props} words={words} from={from(binding.name)} ask={ask}>
      <SelectField
        label="Binding"
        value={binding.id}
        options={bindings.data.map((each) => [each.id, each.name] as const)}
        onChange={setChosen}
        help={help}
      />
    </AskedSource>
  );
}

/** Rows of a binding that were late or malformed, as they came. */
export function FromQuarantine(props: SourceProps) {
  return <OfBinding kind="quarantine" {...props} />;
}

/** The last rows that a binding has read, those that were in time among them. */
export function FromRun(props: SourceProps) {
  return <OfBinding kind="running" {...props} />;
}
