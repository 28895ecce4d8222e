/** A JSON Schema of options as form fields; user input as values, and back. */

export type JsonSchema = Record<string, unknown>;

export type FieldKind = "text" | "lines" | "secret" | "integer" | "number" | "boolean" | "choice" | "json" | "group";

export interface FormField {
  name: string;
  kind: FieldKind;
  title: string;
  help: string;
  required: boolean;
  /** The initial value. */
  initial: FormValue;
  choices: readonly string[];
  fields: readonly FormField[];
  /** Conditions on other fields: at least one must hold, with all of its values. Empty: always relevant. */
  shownWith: readonly Condition[];
}

type Condition = Readonly<Record<string, readonly string[]>>;

export type FormValue = string | boolean | FormValues;
export interface FormValues {
  [name: string]: FormValue;
}

/** Represents a stored secret: the server sends it and accepts it back, so that the secret is kept. */
export const KEPT: FormValues = { sealed: true };

export function isKept(value: FormValue): boolean {
  return typeof value === "object" && value.sealed === true;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const reference = schema.$ref;
  if (typeof reference !== "string") return schema;
  const target = reference
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((at, key) => (isSchema(at) ? at[key] : undefined), root);
  return { ...(isSchema(target) ? target : {}), ...schema };
}

/** `anyOf: [X, null]` is X, not required. */
function withoutNull(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const options = schema.anyOf;
  if (!Array.isArray(options)) return schema;
  const [only, ...more] = options.filter((option) => isSchema(option) && option.type !== "null");
  return only !== undefined && more.length === 0 ? { ...resolved(only, root), ...schema, anyOf: undefined } : schema;
}

/** A text with at least this many characters gets a multi-line field, for example a certificate or a schema. */
const LONG_TEXT = 50_000;

function textKind({ writeOnly, maxLength }: JsonSchema): FieldKind {
  if (writeOnly === true) return "secret";
  return typeof maxLength === "number" && maxLength >= LONG_TEXT ? "lines" : "text";
}

function kindOf(schema: JsonSchema): FieldKind {
  if (Array.isArray(schema.enum)) return "choice";
  switch (schema.type) {
    case "string":
      return textKind(schema);
    case "integer":
    case "number":
    case "boolean":
      return schema.type;
    case "object":
      return isSchema(schema.properties) ? "group" : "json";
    default:
      return Array.isArray(schema.anyOf) && schema.anyOf.some((option) => isSchema(option) && option.type === "string")
        ? "text"
        : "json";
  }
}

function initialOf(kind: FieldKind, schema: JsonSchema, fields: readonly FormField[]): FormValue {
  const value = schema.default;
  if (kind === "group") return Object.fromEntries(fields.map((field) => [field.name, field.initial]));
  if (kind === "boolean") return value === true;
  if (kind === "json") return value === undefined ? "" : JSON.stringify(value);
  return value === undefined || value === null ? "" : String(value);
}

function conditionsOf(schema: JsonSchema): Condition[] {
  const stated = schema["x-shown-with"];
  const listed = Array.isArray(stated) ? stated.filter(isSchema) : [];
  return listed.map((each) =>
    Object.fromEntries(
      Object.entries(each).map(([name, values]) => [name, Array.isArray(values) ? values.map(String) : []]),
    ),
  );
}

/** Return whether a field is relevant for the other values; a filled one always is. */
export function isResponse(field: FormField, fields: readonly FormField[], values: FormValues): boolean {
  const stated = (name: string) => values[name] ?? fields.find((each) => each.name === name)?.initial;
  if (field.shownWith.length === 0) return true;
  if (JSON.stringify(stated(field.name)) !== JSON.stringify(field.initial)) return true;
  return field.shownWith.some((condition) =>
    Object.entries(condition).every(([name, wanted]) => wanted.some((value) => value === stated(name))),
  );
}

function text(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

export function formFields(schema: JsonSchema, root: JsonSchema = schema): FormField[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(isSchema(schema.properties) ? schema.properties : {}).flatMap(([name, property]) => {
    if (!isSchema(property)) return [];
    const plain = withoutNull(resolved(property, root), root);
    const kind = kindOf(plain);
    const fields = kind === "group" ? formFields(plain, root) : [];
    const field: FormField = {
      name,
      kind,
      title: text(plain.title, name.replaceAll("_", " ")),
      help: text(plain.description, ""),
      required: required.includes(name),
      initial: initialOf(kind, plain, fields),
      choices: Array.isArray(plain.enum) ? plain.enum.map(String) : [],
      fields,
      shownWith: conditionsOf(plain),
    };
    return [field];
  });
}

export function initialValues(fields: readonly FormField[]): FormValues {
  return Object.fromEntries(fields.map((field) => [field.name, field.initial]));
}

export interface ReadForm {
  options: Record<string, unknown>;
  /** Path of a field to what is wrong with what was typed. */
  wrong: Record<string, string>;
}

function readNumber(typed: string, whole: boolean): { value?: number; wrong?: string } {
  const value = Number(typed);
  if (Number.isNaN(value)) return { wrong: "Enter a number, for example 10." };
  if (whole && !Number.isSafeInteger(value)) return { wrong: "Enter a whole number." };
  return { value };
}

function readJson(typed: string): { value?: unknown; wrong?: string } {
  try {
    return { value: JSON.parse(typed) };
  } catch {
    return { wrong: 'Invalid JSON. Enter for example {"name": "value"} or ["a", "b"].' };
  }
}

function readTyped(field: FormField, typed: string): { value?: unknown; wrong?: string } {
  switch (field.kind) {
    case "integer":
      return readNumber(typed, true);
    case "number":
      return readNumber(typed, false);
    case "json":
      return readJson(typed);
    default:
      return { value: typed };
  }
}

/** Read one field that isn't a group. An empty field has no value, so that the adapter's own default applies. */
function readSingle(field: FormField, typed: string | boolean, path: string): ReadForm {
  if (typed === "") return { options: {}, wrong: field.required ? { [path]: "This field is required." } : {} };
  const { value, wrong } = typeof typed === "boolean" ? { value: typed } : readTyped(field, typed);
  return wrong === undefined
    ? { options: { [field.name]: value }, wrong: {} }
    : { options: {}, wrong: { [path]: wrong } };
}

/** Read a secret: typed, or stored; empty means none. */
function readSecret(field: FormField, typed: FormValue, path: string): ReadForm {
  if (isKept(typed)) return { options: { [field.name]: typed }, wrong: {} };
  return readSingle(field, typeof typed === "string" ? typed : "", path);
}

function readPart(field: FormField, typed: FormValue, path: string): ReadForm {
  if (field.kind === "secret") return readSecret(field, typed, path);
  return typeof typed === "object" ? readGroup(field, typed, path) : readSingle(field, typed, path);
}

function readGroup(field: FormField, typed: FormValues, path: string): ReadForm {
  const { options, wrong } = readForm(field.fields, typed, `${path}.`);
  const stated = field.required || Object.keys(options).length > 0;
  return { options: stated ? { [field.name]: options } : {}, wrong };
}

/** Read the form; empty fields are omitted. */
export function readForm(fields: readonly FormField[], values: FormValues, path = ""): ReadForm {
  const read: ReadForm = { options: {}, wrong: {} };
  for (const field of fields) {
    const typed = values[field.name] ?? field.initial;
    const at = path + field.name;
    const part = readPart(field, typed, at);
    Object.assign(read.options, part.options);
    Object.assign(read.wrong, part.wrong);
  }
  return read;
}

function usualOf(name: string, { properties }: JsonSchema): unknown {
  const option = isSchema(properties) ? properties[name] : undefined;
  return isSchema(option) ? option.default : undefined;
}

/** Return the parts of a group that differ from their defaults; empty texts and lists don't count. */
function changedIn(field: FormField, value: Record<string, unknown>): Record<string, unknown> {
  const initial = readForm(field.fields, {}).options;
  const usual = (name: string, each: unknown) => initial[name] ?? (Array.isArray(each) ? [] : "");
  const parts = Object.entries(value);
  return Object.fromEntries(parts.filter(([name, each]) => JSON.stringify(each) !== JSON.stringify(usual(name, each))));
}

/** Return each option by its label; `usual`: it has its default value. */
export function titledOptions(options: Record<string, unknown>, schema: JsonSchema) {
  const fields = new Map(formFields(schema).map((field) => [field.name, field]));
  return Object.entries(options).map(([name, value]) => {
    const field = fields.get(name);
    const title = field?.title ?? name.replaceAll("_", " ");
    if (field?.kind === "group" && isSchema(value)) {
      const changed = changedIn(field, value);
      return { name, value: changed, title, usual: Object.keys(changed).length === 0 };
    }
    return { name, value, title, usual: JSON.stringify(usualOf(name, schema)) === JSON.stringify(value) };
  });
}
