import { CheckField, SelectField, TextField } from "../../components/Field";
import { Panel } from "../../components/Panel";
import type { StreamForm } from "../../model/streamForm";
import { TIME_UNITS } from "../../model/timeUnits";
import type { PartProps } from "./formParts";

const ZONE_HELP = "Such as UTC or Europe/Berlin.";

/** The end of intervals and edges, which may be written otherwise than the start. */
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
        label="End written as"
        path="definition.event_time.end.unit"
        value={form.endUnit}
        onChange={(endUnit) => change({ endUnit })}
        options={TIME_UNITS}
      />
      <TextField
        label="Zone of an end without one"
        path="definition.event_time.end.zone"
        value={form.endZone}
        onChange={(endZone) => change({ endZone })}
        help={ZONE_HELP}
      />
    </>
  );
}

export function TimeFields({ form, change }: PartProps) {
  const point = form.shape === "point";
  return (
    <>
      <p className="quiet small">Leave the column empty for adapters that give each event its time themselves.</p>
      <div className="two tight">
        <TextField
          label={point ? "Time column" : "Start column"}
          path="definition.event_time"
          value={form.startColumn}
          onChange={(startColumn) => change({ startColumn })}
        />
        <SelectField
          label={point ? "Written as" : "Start written as"}
          path="definition.event_time.start.unit"
          value={form.unit}
          onChange={(unit) => change({ unit })}
          options={TIME_UNITS}
        />
        <TextField
          label={point ? "Zone of text without one" : "Zone of a start without one"}
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
        help="A count of events (100) or a duration (10s)."
      />
      <SelectField
        label="Follows"
        path="definition.advance.generate.basis"
        value={form.basis}
        onChange={(basis) => change({ basis })}
        options={[
          ["max", "the largest start seen"],
          ["last", "the last received event"],
        ]}
      />
      <CheckField
        label="Close everything when the input ends or is flushed"
        checked={form.final}
        onChange={(final) => change({ final })}
      />
    </div>
  );
}

function keptWords({ kept }: StreamForm): string {
  const said = Object.entries({ ...kept.definition, ...kept.advance }).filter(([, value]) => !isUsual(value));
  return said.map(([name, value]) => `${name.replaceAll("_", " ")}: ${JSON.stringify(value)}`).join("; ");
}

/** What a stored stream says of a setting that nobody has set. */
function isUsual(value: unknown): boolean {
  return value === null || value === undefined || ["explicit", "leave_open", "hold"].includes(String(value));
}

/** The settings that were made elsewhere, by SQL, files or the API. */
function Kept({ form }: { form: StreamForm }) {
  const words = keptWords(form);
  return words === "" ? null : (
    <p className="quiet small">Set elsewhere, and kept as it is when you save here: {words}.</p>
  );
}

export function AdvanceFields({ form, change }: PartProps) {
  if (form.kept.advance.preset) {
    return (
      <Panel title="Advance time" note="A CTI says: everything before this moment is final.">
        <Kept form={form} />
      </Panel>
    );
  }
  return (
    <Panel title="Advance time" note="A CTI says: everything before this moment is final.">
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
            ["drop", "drop: in no result, kept in quarantine"],
            ["adjust", "adjust: clip to begin at the CTI (late points are dropped)"],
            ["shift", "shift: move to begin at the CTI"],
            ["keep", "keep: count in windows that are still open"],
          ]}
        />
      </div>
    </Panel>
  );
}
