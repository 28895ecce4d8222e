import { AdvanceTimeFields } from "../../components/forms/AdvanceTimeFields";
import { SelectField, TextField } from "../../components/forms/Field";
import type { AdvanceTimeSettings, Fault, StreamSummary } from "../../model/api";
import type { InputTyped } from "../../model/binding/bindingForm";
import { PATTERN_HELP, TIME_UNITS } from "../../model/time/timeUnits";

/** The initial values of a binding's own time settings. */
const BEGINNING: AdvanceTimeSettings = { generate: { every: 1, delay: "5s", basis: "max", final: true }, late: "drop" };

/** Codes of errors that only the stream can have. */
const OF_STREAM: ReadonlySet<Fault["code"]> = new Set(["bad_adapter", "bad_schema", "unknown_stream"]);

/** Return the path of the field that an input's error refers to. */
export function inputPathOf({ node, field, code }: Fault): string | null {
  if (node === null) return field;
  if (field?.startsWith("event_time.")) return `inputs.${node}.${field}`;
  return `inputs.${node}.${field === "stream" || OF_STREAM.has(code) ? "stream" : "advance"}`;
}

/** Return the paths of an input's visible fields. */
export function inputPaths(node: string, { stream, path, unit }: InputTyped): string[] {
  const own = stream === "" ? [] : ["advance", "event_time.path"];
  const time = stream === "" || path === "" ? [] : ["event_time.unit", "event_time.zone"];
  if (time.length > 0 && unit === "pattern") time.push("event_time.pattern");
  return ["stream", ...own, ...time].map((each) => `inputs.${node}.${each}`);
}

interface InputProps {
  node: string;
  named: string;
  typedInput: InputTyped;
  streams: readonly StreamSummary[];
  /** The other inputs of the query. */
  others: readonly string[];
  onChange: (typedInput: InputTyped) => void;
}

function EventTimeFields({ node, typedInput, onChange }: Omit<InputProps, "named" | "streams" | "others">) {
  return (
    <>
      <TextField
        label="Event time of this binding (optional)"
        path={`inputs.${node}.event_time.path`}
        value={typedInput.path}
        mono
        onChange={(path) => onChange({ ...typedInput, path })}
        help="A column or path, for example details.at or _key.at. Empty: set by the query, otherwise by the stream."
      />
      {typedInput.path === "" ? null : (
        <>
          <SelectField
            label="Format"
            path={`inputs.${node}.event_time.unit`}
            value={typedInput.unit}
            onChange={(unit) => onChange({ ...typedInput, unit })}
            options={TIME_UNITS}
          />
          {typedInput.unit === "pattern" ? (
            <TextField
              label="Pattern"
              path={`inputs.${node}.event_time.pattern`}
              value={typedInput.pattern}
              mono
              onChange={(pattern) => onChange({ ...typedInput, pattern })}
              help={PATTERN_HELP}
            />
          ) : null}
          <TextField
            label="Time zone of text without one"
            path={`inputs.${node}.event_time.zone`}
            value={typedInput.zone}
            onChange={(zone) => onChange({ ...typedInput, zone })}
            help="For example UTC or Europe/Berlin."
          />
        </>
      )}
    </>
  );
}

/** The settings of one input of a binding: its stream and its own time settings. */
export function InputFields({ node, named, typedInput, streams, others, onChange }: InputProps) {
  return (
    <fieldset className="group two tight">
      <legend>Input {node}</legend>
      <SelectField
        label="Stream"
        path={`inputs.${node}.stream`}
        value={typedInput.stream}
        onChange={(stream) => onChange({ ...typedInput, stream })}
        options={[["", `as named in the query: ${named}`], ...streams.map((each) => [each.id, each.name] as const)]}
      />
      {typedInput.stream === "" ? null : (
        <>
          <SelectField
            label="Time settings"
            path={`inputs.${node}.advance`}
            value={typedInput.advance === null ? "told" : "own"}
            onChange={(chosen) => onChange({ ...typedInput, advance: chosen === "own" ? BEGINNING : null })}
            options={[
              ["told", "set by the query, otherwise by the stream"],
              ["own", "set by this binding"],
            ]}
          />
          {typedInput.advance === null ? null : (
            <fieldset className="time-settings" aria-label={`Time settings of ${node}`}>
              <AdvanceTimeFields
                settings={typedInput.advance}
                others={others}
                onChange={(advance) => onChange({ ...typedInput, advance })}
              />
            </fieldset>
          )}
          <EventTimeFields node={node} typedInput={typedInput} onChange={onChange} />
        </>
      )}
    </fieldset>
  );
}
