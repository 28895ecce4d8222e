import { AdvanceTimeFields } from "../../components/AdvanceTimeFields";
import { SelectField, TextField } from "../../components/Field";
import type { AdvanceTimeSettings, Fault, StreamShown } from "../../model/api";
import type { InputTyped } from "../../model/bindingForm";
import { TIME_UNITS } from "../../model/timeUnits";

/** What settings of a binding begin with, to be changed. */
const BEGINNING: AdvanceTimeSettings = { generate: { every: 1, delay: "5s", basis: "max", final: true }, late: "drop" };

/** Codes of faults that the stream alone can have. */
const OF_STREAM: ReadonlySet<Fault["code"]> = new Set(["bad_adapter", "bad_schema", "unknown_stream"]);

/** The path of the field that a fault of an input is about. */
export function inputPathOf({ node, field, code }: Fault): string | null {
  if (node === null) return field;
  if (field?.startsWith("event_time.")) return `inputs.${node}.${field}`;
  return `inputs.${node}.${field === "stream" || OF_STREAM.has(code) ? "stream" : "advance"}`;
}

/** The paths of the fields that are drawn of an input. */
export function inputPaths(node: string, { stream, path }: InputTyped): string[] {
  const own = stream === "" ? [] : ["advance", "event_time.path"];
  const time = stream === "" || path === "" ? [] : ["event_time.unit", "event_time.zone"];
  return ["stream", ...own, ...time].map((each) => `inputs.${node}.${each}`);
}

interface InputProps {
  node: string;
  named: string;
  said: InputTyped;
  streams: readonly StreamShown[];
  /** The other inputs of the query. */
  others: readonly string[];
  onChange: (said: InputTyped) => void;
}

function EventTimeFields({ node, said, onChange }: Omit<InputProps, "named" | "streams" | "others">) {
  return (
    <>
      <TextField
        label="Own event time (optional)"
        path={`inputs.${node}.event_time.path`}
        value={said.path}
        mono
        onChange={(path) => onChange({ ...said, path })}
        help="A column, or a path such as details.at or _key.at. Empty: as the query says, else as the stream does."
      />
      {said.path === "" ? null : (
        <>
          <SelectField
            label="Written as"
            path={`inputs.${node}.event_time.unit`}
            value={said.unit}
            onChange={(unit) => onChange({ ...said, unit })}
            options={TIME_UNITS}
          />
          <TextField
            label="Zone of text without one"
            path={`inputs.${node}.event_time.zone`}
            value={said.zone}
            onChange={(zone) => onChange({ ...said, zone })}
            help="Such as UTC or Europe/Berlin."
          />
        </>
      )}
    </>
  );
}

/** What one input of a binding reads: its stream, and time settings of its own. */
export function InputFields({ node, named, said, streams, others, onChange }: InputProps) {
  return (
    <fieldset className="group two tight">
      <legend>Input {node}</legend>
      <SelectField
        label="Stream"
        path={`inputs.${node}.stream`}
        value={said.stream}
        onChange={(stream) => onChange({ ...said, stream })}
        options={[["", `as the query names it: ${named}`], ...streams.map((each) => [each.id, each.name] as const)]}
      />
      {said.stream === "" ? null : (
        <>
          <SelectField
            label="How its time moves"
            path={`inputs.${node}.advance`}
            value={said.advance === null ? "told" : "own"}
            onChange={(chosen) => onChange({ ...said, advance: chosen === "own" ? BEGINNING : null })}
            options={[
              ["told", "as the query says, else as the stream does"],
              ["own", "by settings of this binding"],
            ]}
          />
          {said.advance === null ? null : (
            <fieldset className="time-settings" aria-label={`Settings of time of ${node}`}>
              <AdvanceTimeFields
                settings={said.advance}
                others={others}
                onChange={(advance) => onChange({ ...said, advance })}
              />
            </fieldset>
          )}
          <EventTimeFields node={node} said={said} onChange={onChange} />
        </>
      )}
    </fieldset>
  );
}
