import { type ReactNode, useState } from "react";
import { ActionButton } from "../../../../components/actions/ActionButton";
import { SelectField, TextField } from "../../../../components/forms/Field";
import { ErrorNote } from "../../../../components/notices/Notices";
import { useSlug } from "../../../../lib/account/session";
import { api, unwrap } from "../../../../lib/api/client";
import { useBindingChoices } from "../../../../lib/resources/bindings";
import type { SampleTaken } from "../../../../model/api";
import { counted } from "../../../../model/text/counts";
import { useDesigner } from "../../page/designer";
import { rowOf } from "./compactRow";
import { ParsedRows, type SamplePanelProps } from "./ParsedRows";

type SourceProps = SamplePanelProps & { stream: string };

function notesOf({ notes }: SampleTaken): string[] {
  return notes.map(({ row, message }) => (row === null || row === undefined ? message : `Row ${row}: ${message}`));
}

interface RequestedSourceProps extends SourceProps {
  words: readonly [string, string];
  from: string;
  ask: () => Promise<SampleTaken>;
  children?: ReactNode;
}

/** Load rows, show how many there are, and let the user add them. */
function RequestedSource({ words, from, ask, children, ...props }: RequestedSourceProps) {
  const [taken, setTaken] = useState<SampleTaken | null>(null);
  return (
    <div className="stack">
      {children}
      <p>
        <ActionButton words={words} act={ask} onDone={setTaken} />
      </p>
      {taken === null ? null : taken.rows.length === 0 ? (
        <p className="quiet">No rows. {notesOf(taken).join(" ")}</p>
      ) : (
        <ParsedRows {...props} read={{ rows: taken.rows.map(rowOf), notes: notesOf(taken) }} from={from} />
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
    <RequestedSource
      {...props}
      words={[`Read the first rows of ${stream}`, "Reading…"]}
      from={`read from ${stream}`}
      ask={ask}
    >
      <TextField
        label="Number of rows"
        value={rows}
        onChange={setRows}
        help="Up to 1,000, read by the stream's adapter."
      />
    </RequestedSource>
  );
}

const DIALS = [
  ["rows", "Number of rows", "Up to 5,000."],
  ["rate", "Rows per second of event time", "1 means one row per second."],
  ["late_share", "Share of late rows", "From 0 to 1: 0.2 is one in five."],
  ["late_mean", "Average lateness", "A duration, for example 5s."],
  ["late_max", "Maximum lateness", "A duration, for example 1m."],
  ["malformed_share", "Share of malformed rows", "From 0 to 1."],
  ["seed", "Seed", "The same seed generates the same rows."],
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

/** Generated rows with a chosen lateness. */
export function Generated(props: SourceProps) {
  const slug = useSlug();
  const [dials, setDials] = useState(BEGINNING);
  const { stream } = props;
  const ask = () => {
    const values = DIALS.map(([name]) => [name, LENGTHS.has(name) ? dials[name] : Number(dials[name])] as const);
    const body = { stream, ...Object.fromEntries(values) };
    return unwrap(api.POST("/api/t/{slug}/samples/generated/", { params: { path: { slug } }, body }));
  };
  return (
    <RequestedSource {...props} words={["Generate rows", "Generating…"]} from="generated" ask={ask}>
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
    </RequestedSource>
  );
}

const OF_BINDING = {
  quarantine: {
    words: ["Load its newest quarantined rows", "Reading…"],
    from: (binding: string) => `from the quarantine of ${binding}`,
    help: `At most ${counted(100, "row")}, oldest first; only late and malformed ones.`,
  },
  running: {
    words: ["Load its last rows", "Reading…"],
    from: (binding: string) => `last read by ${binding}`,
    help: `The last ${counted(100, "row")} of each lane, read again through its adapters, including those on time.`,
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
  if (binding === undefined) return <p className="quiet">There are no bindings yet, so no rows were read.</p>;
  const { words, from, help } = OF_BINDING[kind];
  const asked = { params: { path: { slug } }, body: { binding: binding.id, rows: 100 } };
  const ask = () =>
    unwrap(
      kind === "quarantine"
        ? api.POST("/api/t/{slug}/samples/quarantine/", asked)
        : api.POST("/api/t/{slug}/samples/running/", asked),
    );
  return (
    <RequestedSource key={binding.id} {...props} words={words} from={from(binding.name)} ask={ask}>
      <SelectField
        label="Binding"
        value={binding.id}
        options={bindings.data.map((each) => [each.id, each.name] as const)}
        onChange={setChosen}
        help={help}
      />
    </RequestedSource>
  );
}

/** Late and malformed rows of a binding, as received. */
export function FromQuarantine(props: SourceProps) {
  return <OfBinding kind="quarantine" {...props} />;
}

/** The last rows that a binding read, including those on time. */
export function FromRun(props: SourceProps) {
  return <OfBinding kind="running" {...props} />;
}
