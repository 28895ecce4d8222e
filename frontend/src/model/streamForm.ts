/** What is typed in the form of a stream, the stream that it says, and the form of a stream that is stored. */

import type { AdapterKind, StreamBody, StreamShown } from "./api";
import { type FormField, type FormValue, type FormValues, isKept, KEPT } from "./schemaForm";

export const SCALAR_TYPES = ["long", "double", "string", "boolean", "timestamp"] as const;
export const TIME_UNITS = ["iso", "s", "ms", "us", "ns"] as const;
type Unit = (typeof TIME_UNITS)[number];

const SHAPES = ["point", "interval", "edge"] as const;

/** What the form asks of a kind of adapter. */
export type ChosenKind = Pick<AdapterKind, "kind" | "fields" | "clocked">;

export interface TypedField {
  key: number;
  name: string;
  type: string;
}

export interface StreamForm {
  name: string;
  shape: "point" | "interval" | "edge";
  fields: readonly TypedField[];
  startColumn: string;
  endColumn: string;
  edgeColumn: string;
  unit: Unit;
  zone: string;
  /** How the end is written; of points nothing. */
  endUnit: Unit;
  endZone: string;
  generate: boolean;
  every: string;
  delay: string;
  basis: "last" | "max";
  final: boolean;
  late: "drop" | "adjust" | "shift" | "keep";
  adapter: string;
  /** What a stored stream says that the form has no fields for; it is sent back as it was. */
  kept: KeptSettings;
}

type Definition = StreamBody["definition"];
type Advance = NonNullable<Definition["advance"]>;

export interface KeptSettings {
  definition: Partial<Definition>;
  advance: Partial<Advance>;
}

export const EMPTY_FORM: StreamForm = {
  name: "",
  shape: "point",
  fields: [{ key: 0, name: "", type: "string" }],
  startColumn: "",
  endColumn: "",
  edgeColumn: "",
  unit: "iso",
  zone: "UTC",
  endUnit: "iso",
  endZone: "UTC",
  generate: true,
  every: "100",
  delay: "10s",
  basis: "max",
  final: true,
  late: "drop",
  adapter: "",
  kept: { definition: {}, advance: {} },
};

const whole = /^\d+$/;
const ticks = /^[+-]?\d+$/;

function eventTime(form: StreamForm): NonNullable<StreamBody["definition"]["event_time"]> | null {
  if (form.startColumn === "") return null;
  const at = (column: string, unit: Unit, zone: string) => ({ column, unit, zone: zone || "UTC" });
  const ends = form.shape !== "point" && form.endColumn !== "";
  return {
    start: at(form.startColumn, form.unit, form.zone),
    end: ends ? at(form.endColumn, form.endUnit, form.endZone) : null,
    edge: form.shape === "edge" && form.edgeColumn !== "" ? form.edgeColumn : null,
  };
}

function advance(form: StreamForm): NonNullable<StreamBody["definition"]["advance"]> {
  if (form.kept.advance.preset) return form.kept.advance; // it says both how time advances and what is late
  if (!form.generate) return { ...form.kept.advance, late: form.late };
  const every = form.every.trim();
  const delay = form.delay.trim();
  return {
    ...form.kept.advance,
    generate: {
      every: whole.test(every) ? Number(every) : every,
      delay: ticks.test(delay) ? Number(delay) : delay || 0,
      basis: form.basis,
      final: form.final,
    },
    late: form.late,
  };
}

export function streamBody(form: StreamForm, options: Record<string, unknown>): StreamBody {
  const named = form.fields.filter((field) => field.name.trim() !== "");
  return {
    name: form.name.trim(),
    definition: {
      ...form.kept.definition,
      shape: form.shape,
      fields: Object.fromEntries(named.map((field) => [field.name.trim(), field.type.trim()])),
      event_time: eventTime(form),
      advance: advance(form),
    },
    adapter: { kind: form.adapter, options },
  };
}

/** The form after another adapter was chosen: one that knows its fields fills them in, one with CTIs generates none. */
export function withAdapter(form: StreamForm, kind: ChosenKind, before: ChosenKind | undefined): StreamForm {
  const usual = SHAPES.find((shape) => kind.clocked.includes(shape));
  const chosen = { ...form, adapter: kind.kind, generate: form.generate || isClocked(before, form.shape) };
  if (usual !== undefined) {
    chosen.generate = false;
    if (!isClocked(kind, form.shape)) chosen.shape = usual;
  } else if (isClocked(before, form.shape) && !isClocked(before, EMPTY_FORM.shape)) {
    chosen.shape = EMPTY_FORM.shape; // the kind before had chosen it
  }
  if (kind.fields === null) return chosen;
  const fields = Object.entries(kind.fields).map(([name, type], key) => ({ key, name, type }));
  return { ...chosen, fields };
}

/** Whether CTIs come with all that an input of `kind` gives to a stream of `shape`, so that none need be generated. */
export function isClocked(kind: ChosenKind | undefined, shape: StreamForm["shape"]): boolean {
  return kind?.clocked.includes(shape) ?? false;
}

/** What can be said without asking the server, by the path of the field. */
export function formFaults(form: StreamForm): Record<string, string> {
  const names = form.fields.map((field) => field.name.trim());
  const twice = names.filter((name, index) => name !== "" && names.indexOf(name) !== index);
  return Object.fromEntries(
    twice.map((name) => [`definition.fields.${name}`, "Two fields have this name. Give each a name of its own."]),
  );
}

/** The paths under which a refusal names the fields of the form. */
export function formPaths(form: StreamForm, options: readonly FormField[]): string[] {
  const of = (fields: readonly FormField[], before: string): string[] =>
    fields.flatMap((field) => [before + field.name, ...of(field.fields, `${before}${field.name}.`)]);
  return [
    ...["name", "definition.shape", "definition.fields", "definition.advance", "definition.advance.late", "adapter"],
    ...form.fields.map((field) => `definition.fields.${field.name.trim()}`),
    ...["definition.event_time", "definition.event_time.start.unit", "definition.event_time.start.zone"],
    ...(form.shape === "point" ? [] : ["", ".unit", ".zone"].map((part) => `definition.event_time.end${part}`)),
    ...(form.shape === "edge" ? ["definition.event_time.edge"] : []),
    ...(form.generate ? ["every", "delay", "basis"].map((key) => `definition.advance.generate.${key}`) : []),
    ...of(options, "adapter.options."),
  ];
}

function generated(advance: Advance | undefined): Partial<StreamForm> {
  const said = advance?.generate;
  if (!said) return { generate: false };
  const text = (value: string | number | undefined, otherwise: string) =>
    value === undefined ? otherwise : `${value}`;
  return {
    generate: true,
    every: text(said.every, ""),
    delay: text(said.delay, "0"),
    basis: said.basis ?? "last",
    final: said.final ?? false,
  };
}

/** Where the times of events stand; where no end is named yet, it is taken to be written as the start is. */
function timed(said: Definition["event_time"]): Partial<StreamForm> {
  if (!said) return {};
  const { start, end, edge } = said;
  const { unit, zone } = end ?? start;
  return {
    ...{ startColumn: start.column, unit: start.unit ?? "iso", zone: start.zone ?? "UTC" },
    ...{ endColumn: end?.column ?? "", endUnit: unit ?? "iso", endZone: zone ?? "UTC" },
    edgeColumn: edge ?? "",
  };
}

/** The form in which a stored stream is changed; what it has no fields for is kept. */
export function formOf({ name, definition, adapter }: StreamShown): StreamForm {
  const { shape, fields, event_time, advance, ...rest } = definition;
  const { generate: _, late, ...others } = advance ?? {};
  const preset = others.preset ? (advance ?? {}) : {};
  return {
    ...EMPTY_FORM,
    ...generated(advance),
    name,
    shape: shape ?? "point",
    fields: Object.entries(fields).map(([each, type], key) => ({ key, name: each, type })),
    ...timed(event_time),
    late: late ?? "drop",
    adapter: adapter.kind,
    kept: { definition: rest, advance: { ...others, ...preset } },
  };
}

/** The options of a stored adapter as they stand in its form. */
export function optionValues(fields: readonly FormField[], options: Record<string, unknown>): FormValues {
  return Object.fromEntries(
    fields.filter(({ name }) => name in options).map((field) => [field.name, optionValue(field, options[field.name])]),
  );
}

function optionValue(field: FormField, value: unknown): FormValue {
  if (value === null || value === undefined) return field.initial;
  if (field.kind === "secret") return KEPT;
  if (field.kind === "group") return optionValues(field.fields, value as Record<string, unknown>);
  if (field.kind === "boolean") return value === true;
  return field.kind === "json" || typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** `values` without the secrets that were typed: those are never kept in a browser. */
export function withoutSecrets(fields: readonly FormField[], values: FormValues, stored: FormValues): FormValues {
  const kept = Object.entries(values).map(([name, value]) => {
    const field = fields.find((each) => each.name === name);
    return [name, field === undefined ? value : withoutSecret(field, value, stored[name] ?? "")] as const;
  });
  return Object.fromEntries(kept);
}

function withoutSecret(field: FormField, value: FormValue, before: FormValue): FormValue {
  if (field.kind === "secret") return isKept(value) || isKept(before) ? KEPT : "";
  if (field.kind !== "group" || typeof value !== "object") return value;
  return withoutSecrets(field.fields, value, typeof before === "object" ? before : {});
}
