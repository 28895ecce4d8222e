import { type ReactNode, useId, useState } from "react";
import {
  type FormField,
  type FormValue,
  type FormValues,
  isKept,
  isResponse,
  KEPT,
} from "../../model/forms/schemaForm";
import { describedBy, UnderField, useWrong } from "./FieldFaults";

interface SchemaFormProps {
  fields: readonly FormField[];
  values: FormValues;
  onChange: (values: FormValues) => void;
  /** The prefix of the field names in the paths of errors, including its dot. */
  path: string;
}

/** The fields of a JSON Schema as a form, without the fields that other choices make irrelevant. */
export function SchemaForm({ fields, values, onChange, path }: SchemaFormProps) {
  return fields.map((field) => (
    <Mattering key={field.name} path={path + field.name} matters={isResponse(field, fields, values)}>
      <AnyField
        field={field}
        value={values[field.name] ?? field.initial}
        path={path + field.name}
        onChange={(next) => onChange({ ...values, [field.name]: next })}
      />
    </Mattering>
  ));
}

/** A field with an error is always visible, even if other choices make it irrelevant. */
function Mattering({ path, matters, children }: { path: string; matters: boolean; children: ReactNode }) {
  const wrong = useWrong(path);
  return matters || wrong !== undefined ? children : null;
}

interface AnyFieldProps {
  field: FormField;
  value: FormValue;
  path: string;
  onChange: (value: FormValue) => void;
}

function AnyField({ field, value, path, onChange }: AnyFieldProps) {
  if (field.kind === "secret") return <SecretField field={field} value={value} path={path} onChange={onChange} />;
  if (typeof value !== "object") return <SchemaField field={field} value={value} path={path} onChange={onChange} />;
  return (
    <fieldset className="stack group">
      <legend>{field.title}</legend>
      {field.help ? <p className="quiet small">{field.help}</p> : null}
      <SchemaForm fields={field.fields} values={value} onChange={onChange} path={`${path}.`} />
    </fieldset>
  );
}

interface SchemaFieldProps {
  field: FormField;
  value: string | boolean;
  path: string;
  onChange: (value: string | boolean) => void;
}

function SchemaField({ field, value, path, onChange }: SchemaFieldProps) {
  const id = useId();
  const wrong = useWrong(path);
  const described = describedBy(id, wrong, field.help);
  const below = <UnderField id={id} wrong={wrong} help={field.help} />;
  if (typeof value === "boolean") {
    return (
      <div className="field">
        <label className="check">
          <input type="checkbox" checked={value} onChange={(event) => onChange(event.target.checked)} {...described} />
          {field.title}
        </label>
        {below}
      </div>
    );
  }
  return (
    <div className="field">
      <label htmlFor={id}>
        {field.title}
        {field.required ? "" : <span className="quiet"> (optional)</span>}
      </label>
      <SchemaInput id={id} field={field} value={value} onChange={onChange} described={described} />
      {below}
    </div>
  );
}

/** A secret field. The stored secret is never shown; it is kept until it is replaced or removed. */
function SecretField({ field, value, path, onChange }: AnyFieldProps) {
  const id = useId();
  const wrong = useWrong(path);
  const [stored] = useState(isKept(value));
  const kept = isKept(value);
  const typed = typeof value === "string" ? value : "";
  return (
    <div className="field">
      <label htmlFor={id}>
        {field.title}
        {field.required ? "" : <span className="quiet"> (optional)</span>}
      </label>
      <input
        id={id}
        type="password"
        autoComplete="new-password"
        spellCheck={false}
        placeholder={kept ? "stored; type to replace" : ""}
        value={typed}
        onChange={(event) => onChange(event.target.value === "" && stored ? KEPT : event.target.value)}
        {...describedBy(id, wrong, field.help)}
      />
      {kept && !field.required ? (
        <button type="button" className="quiet small" onClick={() => onChange("")}>
          Remove {field.title}
        </button>
      ) : null}
      <UnderField id={id} wrong={wrong} help={field.help} />
    </div>
  );
}

interface SchemaInputProps {
  id: string;
  field: FormField;
  value: string;
  onChange: (value: string) => void;
  described: ReturnType<typeof describedBy>;
}

function SchemaInput({ id, field, value, onChange, described }: SchemaInputProps) {
  if (field.kind === "choice") {
    return (
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)} {...described}>
        {field.choices.includes(value) ? null : <option value={value}>{value || "choose"}</option>}
        {field.choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  if (field.kind === "json" || field.kind === "lines") {
    return (
      <textarea
        id={id}
        rows={field.kind === "lines" ? 5 : 3}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        {...described}
      />
    );
  }
  return (
    <input
      id={id}
      inputMode={field.kind === "text" ? "text" : "decimal"}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      {...described}
    />
  );
}
