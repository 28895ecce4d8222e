import { useState } from "react";
import { Choices } from "../../../../components/actions/Choices";
import { SelectField } from "../../../../components/forms/Field";
import { ErrorNote } from "../../../../components/notices/Notices";
import type { StreamDefinition } from "../../../../model/api";
import { type PastedRows, pastedRows } from "../../../../model/simulation/sample/paste";
import type { EndMode } from "../../../../model/simulation/sample/sample";
import { ParsedRows, type SamplePanelProps } from "./ParsedRows";
import { FromQuarantine, FromRun, FromStream, Generated } from "./Sources";

const WAYS = [
  ["paste", "Paste"],
  ["file", "File"],
  ["stream", "From the stream"],
  ["running", "From a run"],
  ["quarantine", "From quarantine"],
  ["generated", "Generate"],
] as const;
type Way = (typeof WAYS)[number][0];

const EXAMPLE = "start,end,plate\n10:00:03,10:00:06,a";

function Paste(props: SamplePanelProps & { definition: StreamDefinition; stream: string }) {
  const [text, setText] = useState("");
  const { definition, stream } = props;
  const read = pastedRows(text, { stream, fields: definition.fields, eventTime: definition.event_time ?? null });
  return (
    <div className="stack">
      <div className="field">
        <label htmlFor="sim-paste">Rows in order of arrival</label>
        <textarea
          id="sim-paste"
          rows={7}
          value={text}
          placeholder={EXAMPLE}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
        <p className="help">
          CSV with a header, or one JSON object per line. Times are ISO text or ticks. The columns start, end, edge,
          cti, heartbeat, lane and arrival are reserved; all others are values of {stream}.
        </p>
      </div>
      {text.trim() === "" ? null : <ParsedRows {...props} read={read} from="pasted" />}
    </div>
  );
}

function FromFile(props: SamplePanelProps & { definition: StreamDefinition; stream: string }) {
  const [read, setRead] = useState<PastedRows | null>(null);
  const [name, setName] = useState("");
  const [error, setError] = useState<unknown>(null);
  const { definition, stream } = props;
  const take = async (file: File) => {
    const text = await file.text();
    setName(file.name);
    setRead(pastedRows(text, { stream, fields: definition.fields, eventTime: definition.event_time ?? null }));
  };
  return (
    <div className="stack">
      <div className="field">
        <label htmlFor="sim-file">CSV or JSON Lines file</label>
        <input
          id="sim-file"
          type="file"
          accept=".csv,.txt,.json,.jsonl,.ndjson,.tsv"
          onChange={(event) => {
            const file = event.target.files?.[0];
            if (file !== undefined) take(file).then(() => setError(null), setError);
          }}
        />
      </div>
      <ErrorNote error={error} />
      {read === null ? null : <ParsedRows {...props} read={read} from={`of ${name}`} />}
    </div>
  );
}

const ENDS = [
  ["flush", "end all inputs and emit everything that is pending"],
  ["stop", "stop: end only inputs with the setting final"],
  ["none", "keep inputs open: pending results stay pending"],
] as const satisfies readonly (readonly [EndMode, string])[];

const PARTS = {
  paste: Paste,
  file: FromFile,
  stream: FromStream,
  running: FromRun,
  quarantine: FromQuarantine,
  generated: Generated,
};

/** The source of the sample's rows, and its end. */
export function SamplePanel(props: SamplePanelProps) {
  const { streams, sample, onEdit } = props;
  const [way, setWay] = useState<Way>("paste");
  const [chosen, setChosen] = useState(streams[0]?.[0] ?? "");
  const definition = streams.find(([name]) => name === chosen)?.[1] ?? streams[0]?.[1];
  const stream = streams.find(([name]) => name === chosen)?.[0] ?? streams[0]?.[0];
  const Part = PARTS[way];
  if (definition === undefined || stream === undefined) {
    return <p className="quiet">The query reads no existing stream. Name one in FROM, then add rows.</p>;
  }
  return (
    <div className="stack sim-sample">
      <div className="row">
        <Choices label="Source of the rows" options={WAYS} value={way} onChange={setWay} />
      </div>
      {streams.length < 2 ? null : (
        <SelectField
          label="Stream"
          value={stream}
          options={streams.map(([name]) => [name, name] as const)}
          onChange={setChosen}
          help="JSON rows that name their own stream keep it."
        />
      )}
      <Part key={`${way} ${stream}`} {...props} stream={stream} definition={definition} />
      <SelectField
        label="After the last row"
        value={sample.end}
        options={ENDS}
        onChange={(end) => onEdit((before) => ({ ...before, end }))}
      />
    </div>
  );
}
