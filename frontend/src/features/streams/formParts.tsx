import { useId } from "react";
import { SelectField, TextField } from "../../components/forms/Field";
import { describedBy, UnderField, useWrong } from "../../components/forms/FieldFaults";
import { Panel } from "../../components/page/Panel";
import { SCALAR_TYPES, type StreamForm, type TypedField } from "../../model/stream/streamForm";

export interface PartProps {
  form: StreamForm;
  change: (part: Partial<StreamForm>) => void;
}

export function NameField({ form, change }: PartProps) {
  return (
    <TextField
      label="Name"
      path="name"
      value={form.name}
      required
      onChange={(name) => change({ name })}
      help="Queries use this name, so it must be one word: letters, digits and underscores."
    />
  );
}

export function ShapeFields({ form, change }: PartProps) {
  return (
    <Panel title="Shape">
      <SelectField
        label="Shape"
        path="definition.shape"
        value={form.shape}
        onChange={(shape) => change({ shape })}
        options={[
          ["point", "Points: each event happens at one moment"],
          ["interval", "Intervals: each event has a start and an end"],
          ["edge", "Edges: starts and ends are separate rows"],
          ["table", "Table: each row is a version of its key, until the next one"],
        ]}
      />
      {form.shape === "table" ? <TableFields form={form} change={change} /> : null}
    </Panel>
  );
}

function TableFields({ form, change }: PartProps) {
  return (
    <>
      <TextField
        label="Keys"
        path="definition.keys"
        value={form.keys}
        mono
        onChange={(keys) => change({ keys })}
        help="The fields that name a row, with commas between them."
      />
      <TextField
        label="Version field (optional)"
        path="definition.version"
        value={form.version}
        mono
        onChange={(version) => change({ version })}
        help="Of several rows with the same key and start, the one with the greatest value counts."
      />
      <SelectField
        label="Clock"
        path="definition.clock"
        value={form.clock}
        onChange={(clock) => change({ clock })}
        options={[
          ["", "The settings of time below"],
          ["follow", "Follow: the clock of the query's other input, so that nothing waits for the table"],
          ["poll", "Poll: each load is a CTI, so that results wait for the next load"],
          ["static", "Static: the first load is the whole table, forever"],
        ]}
      />
    </>
  );
}

interface OneFieldProps {
  field: TypedField;
  number: number;
  onChange: (field: TypedField) => void;
  onRemove: () => void;
}

function OneField({ field, number, onChange, onRemove }: OneFieldProps) {
  const id = useId();
  const wrong = useWrong(`definition.fields.${field.name.trim()}`);
  const described = describedBy(id, wrong, undefined);
  const ofName = wrong !== undefined && !/type/i.test(wrong);
  return (
    <div className="field-row field">
      <input
        className="input"
        {...(ofName ? described : {})}
        aria-label={`Name of field ${number}`}
        placeholder="name"
        value={field.name}
        onChange={(event) => onChange({ ...field, name: event.target.value })}
      />
      <input
        className="input mono"
        {...(ofName ? {} : described)}
        aria-label={`Type of field ${number}`}
        list="field-types"
        value={field.type}
        onChange={(event) => onChange({ ...field, type: event.target.value })}
      />
      <button type="button" className="button" aria-label={`Remove field ${number}`} onClick={onRemove}>
        ✕
      </button>
      {wrong === undefined ? null : (
        <div className="whole">
          <UnderField id={id} wrong={wrong} />
        </div>
      )}
    </div>
  );
}

export function FieldsFields({ form, change }: PartProps) {
  const replace = (changed: TypedField) =>
    change({ fields: form.fields.map((field) => (field.key === changed.key ? changed : field)) });
  const add = () => {
    const key = Math.max(0, ...form.fields.map((field) => field.key)) + 1;
    change({ fields: [...form.fields, { key, name: "", type: "string" }] });
  };
  return (
    <Panel
      title="Fields"
      note="Types: long, double, string, boolean, timestamp, decimal(p, s), array<type> or struct<name: type, …>. Type names of SQL, Spark and Python also work: integer is long"
    >
      <div className="stack">
        <datalist id="field-types">
          {SCALAR_TYPES.map((type) => (
            <option key={type} value={type} />
          ))}
          <option value="decimal(18, 2)" />
          <option value="array<string>" />
        </datalist>
        {form.fields.map((field, index) => (
          <OneField
            key={field.key}
            field={field}
            number={index + 1}
            onChange={replace}
            onRemove={() => change({ fields: form.fields.filter((each) => each.key !== field.key) })}
          />
        ))}
        <p>
          <button type="button" className="button" onClick={add}>
            Add field
          </button>
        </p>
      </div>
    </Panel>
  );
}
