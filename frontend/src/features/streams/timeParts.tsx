import { CheckField, SelectField, TextField } from "../../components/forms/Field";
import { Panel } from "../../components/page/Panel";
import { lasts, type StreamForm } from "../../model/stream/streamForm";
import { PATTERN_HELP, TIME_UNITS } from "../../model/time/timeUnits";
import type { PartProps } from "./formParts";

const ZONE_HELP = "For example UTC or Europe/Berlin.";

/** The end of intervals and edges, which may have another format than the start. */
function EndFields({ form, change }: PartProps) {
  return (
    <>
      <TextField
        label="End column"
        path="definition.event_time.end"
        value={form.endColumn}
        onChange={(endColumn) => change({ endColumn })}
      />
      <SelectField
        label="End format"
        path="definition.event_time.end.unit"
        value={form.endUnit}
        onChange={(endUnit) => change({ endUnit })}
        options={TIME_UNITS}
      />
      {form.endUnit === "pattern" ? (
        <TextField
          label="Pattern of the end"
          path="definition.event_time.end.pattern"
          value={form.endPattern}
          mono
          onChange={(endPattern) => change({ endPattern })}
          help={PATTERN_HELP}
        />
      ) : null}
      <TextField
        label="Column of the end's time of day (optional)"
        path="definition.event_time.end.time_column"
        value={form.endClockColumn}
        onChange={(endClockColumn) => change({ endClockColumn })}
      />
      <TextField
        label="Time zone of an end without one"
        path="definition.event_time.end.zone"
        value={form.endZone}
        onChange={(endZone) => change({ endZone })}
        help={ZONE_HELP}
      />
    </>
  );
}

export function TimeFields({ form, change }: PartProps) {
  const point = !lasts(form.shape);
  return (
    <>
      <p className="quiet small">Leave the column empty for adapters that set the time of each event.</p>
      <div className="two tight">
        <TextField
          label={point ? "Time column" : "Start column"}
          path="definition.event_time"
          value={form.startColumn}
          onChange={(startColumn) => change({ startColumn })}
        />
        <SelectField
          label={point ? "Format" : "Start format"}
          path="definition.event_time.start.unit"
          value={form.unit}
          onChange={(unit) => change({ unit })}
          options={TIME_UNITS}
        />
        {form.unit === "pattern" ? (
          <TextField
            label="Pattern"
            path="definition.event_time.start.pattern"
            value={form.pattern}
            mono
            onChange={(pattern) => change({ pattern })}
            help={PATTERN_HELP}
          />
        ) : null}
        <TextField
          label="Column of the time of day (optional)"
          path="definition.event_time.start.time_column"
          value={form.clockColumn}
          onChange={(clockColumn) => change({ clockColumn })}
          help="If the time column contains only dates. CSV and JSON only."
        />
        <TextField
          label={point ? "Time zone of text without one" : "Time zone of a start without one"}
          path="definition.event_time.start.zone"
          value={form.zone}
          onChange={(zone) => change({ zone })}
          help={ZONE_HELP}
        />
        {point ? null : <EndFields form={form} change={change} />}
        {form.shape === "edge" ? (
          <TextField
            label="Edge column"
            path="definition.event_time.edge"
            value={form.edgeColumn}
            onChange={(edgeColumn) => change({ edgeColumn })}
            help="Its values are start and end."
          />
        ) : null}
      </div>
    </>
  );
}

function GenerateFields({ form, change }: PartProps) {
  return (
    <div className="two tight">
      <TextField
        label="A CTI every"
        path="definition.advance.generate.every"
        value={form.every}
        onChange={(every) => change({ every })}
        help="A number of events (100) or a duration (10s)."
      />
      <SelectField
        label="Follows"
        path="definition.advance.generate.basis"
        value={form.basis}
        onChange={(basis) => change({ basis })}
        options={[
          ["max", "the largest start so far"],
          ["last", "the last received event"],
        ]}
      />
      <CheckField
        label="Close all windows when the input ends or is flushed"
        checked={form.final}
        onChange={(final) => change({ final })}
      />
    </div>
  );
}

function keptWords({ kept }: StreamForm): string {
  const changed = Object.entries({ ...kept.definition, ...kept.advance }).filter(([, value]) => !isUsual(value));
  return changed.map(([name, value]) => `${name.replaceAll("_", " ")}: ${JSON.stringify(value)}`).join("; ");
}

/** Return true for the default value of a stored setting. */
function isUsual(value: unknown): boolean {
  return value === null || value === undefined || ["explicit", "leave_open", "hold"].includes(String(value));
}

/** Settings made elsewhere: by SQL, files or the API. */
function Kept({ form }: { form: StreamForm }) {
  const words = keptWords(form);
  return words === "" ? null : <p className="quiet small">Set elsewhere and kept when you save here: {words}.</p>;
}

export function AdvanceFields({ form, change }: PartProps) {
  if (form.kept.advance.preset) {
    return (
      <Panel title="Advance time" note="A CTI declares all time before it final">
        <Kept form={form} />
      </Panel>
    );
  }
  return (
    <Panel title="Advance time" note="A CTI declares all time before it final">
      <div className="stack">
        <Kept form={form} />
        <CheckField
          label="Generate CTIs from the events"
          checked={form.generate}
          onChange={(generate) => change({ generate })}
        />
        {form.generate ? <GenerateFields form={form} change={change} /> : null}
        <SelectField
          label="Events that start before the CTI"
          path="definition.advance.late"
          value={form.late}
          onChange={(late) => change({ late })}
          options={[
            ["drop", "drop: exclude from results, keep in quarantine"],
            ["adjust", "adjust: move the start up to the CTI (late points are dropped)"],
            ["shift", "shift: move the whole event to the CTI"],
            ["keep", "keep: count in windows that are still open"],
          ]}
        />
      </div>
    </Panel>
  );
}
