/** The stream form: its input, the resulting stream, and the form of a stored stream. */

import type { AdapterKind, StreamBody, StreamResponse } from "../api";
import { type FormField, type FormValue, type FormValues, isKept, KEPT } from "../forms/schemaForm";

export const SCALAR_TYPES = ["long", "double", "string", "boolean", "timestamp"] as const;
export const TIME_UNITS = ["iso", "s", "ms", "us", "ns", "pattern", "excel"] as const;
type Unit = (typeof TIME_UNITS)[number];

const SHAPES = ["point", "interval", "edge", "table"] as const;

/** The parts of an adapter kind that the form uses. */
export type ChosenKind = Pick<AdapterKind, "kind" | "fields" | "clocked">;

export interface TypedField {
  key: number;
  name: string;
  type: string;
}

export interface StreamForm {
  name: string;
  shape: (typeof SHAPES)[number];
  /** The fields that name a row of a table, with commas between them. */
  keys: string;
  /** The field that orders the rows of one key and start of a table. */
  version: string;
  /** The clock of a table; empty: the settings of time. */
  clock: "" | "follow" | "poll" | "static";
  fields: readonly TypedField[];
  startColumn: string;
  endColumn: string;
  edgeColumn: string;
  unit: Unit;
  zone: string;
  /** The format of the start, if its unit is a pattern. */
  pattern: string;
  /** The column with the time of day, if the start column contains only dates. */
  clockColumn: string;
  /** The format of the end; unused for points. */
  endUnit: Unit;
  endZone: string;
  endPattern: string;
  endClockColumn: string;
  generate: boolean;
  every: string;
  delay: string;
  basis: "last" | "max";
  final: boolean;
  late: "drop" | "adjust" | "shift" | "keep";
  adapter: string;
  /** Settings of a stored stream without form fields; they are sent back unchanged. */
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
  keys: "",
  version: "",
  clock: "",
  fields: [{ key: 0, name: "", type: "string" }],
  startColumn: "",
  endColumn: "",
  edgeColumn: "",
  unit: "iso",
  zone: "UTC",
  pattern: "",
  clockColumn: "",
  endUnit: "iso",
  endZone: "UTC",
  endPattern: "",
  endClockColumn: "",
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
  const at = (column: string, unit: Unit, zone: string, pattern: string, clock: string) => ({
    ...{ column, unit, zone: zone || "UTC" },
    ...(unit === "pattern" ? { pattern: pattern.trim() } : {}),
    ...(clock === "" ? {} : { time_column: clock.trim() }),
  });
  const ends = lasts(form.shape) && form.endColumn !== "";
  return {
    start: at(form.startColumn, form.unit, form.zone, form.pattern, form.clockColumn),
    end: ends ? at(form.endColumn, form.endUnit, form.endZone, form.endPattern, form.endClockColumn) : null,
    edge: form.shape === "edge" && form.edgeColumn !== "" ? form.edgeColumn : null,
  };
}

/** Return true if the rows of a stream of `shape` have an end. */
export function lasts(shape: StreamForm["shape"]): boolean {
  return shape === "interval" || shape === "edge";
}

/** Return the options of a table. */
function tableOptions(form: StreamForm): Partial<Definition> {
  if (form.shape !== "table") return {};
  const keys = form.keys
    .split(",")
    .map((key) => key.trim())
    .filter((key) => key !== "");
  return {
    ...(keys.length === 0 ? {} : { keys }),
    ...(form.version.trim() === "" ? {} : { version: form.version.trim() }),
    ...(form.clock === "" ? {} : { clock: form.clock }),
  };
}

function advance(form: StreamForm): NonNullable<StreamBody["definition"]["advance"]> {
  if (form.shape === "table" && form.clock !== "") return { ...form.kept.advance, late: form.late };
  if (form.kept.advance.preset) return form.kept.advance; // it sets both how time advances and the late policy
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
      ...tableOptions(form),
      advance: advance(form),
    },
    adapter: { kind: form.adapter, options },
  };
}

/** Return the form after a change of adapter: known fields are filled in, and CTIs are not generated if it sends them. */
export function withAdapter(form: StreamForm, kind: ChosenKind, before: ChosenKind | undefined): StreamForm {
  const usual = SHAPES.find((shape) => kind.clocked.includes(shape));
  const chosen = { ...form, adapter: kind.kind, generate: form.generate || isClocked(before, form.shape) };
  if (usual !== undefined) {
    chosen.generate = false;
    if (!isClocked(kind, form.shape)) chosen.shape = usual;
  } else if (isClocked(before, form.shape) && !isClocked(before, EMPTY_FORM.shape)) {
    chosen.shape = EMPTY_FORM.shape; // the previous kind had set it
  }
  if (kind.fields === null) return chosen;
  const fields = Object.entries(kind.fields).map(([name, type], key) => ({ key, name, type }));
  return { ...chosen, fields };
}

/** Return true if an input of `kind` sends CTIs with all rows of a stream of `shape`, so that none need be generated. */
export function isClocked(kind: ChosenKind | undefined, shape: StreamForm["shape"]): boolean {
  return kind?.clocked.includes(shape) ?? false;
}

/** Return errors that need no request, by path of the field. */
export function formFaults(form: StreamForm): Record<string, string> {
  const names = form.fields.map((field) => field.name.trim());
  const twice = names.filter((name, index) => name !== "" && names.indexOf(name) !== index);
  return Object.fromEntries(
    twice.map((name) => [`definition.fields.${name}`, "Two fields have this name. Field names must be unique."]),
  );
}

function timePaths(edge: "start" | "end", unit: Unit): string[] {
  const parts = ["unit", "zone", "time_column", ...(unit === "pattern" ? ["pattern"] : [])];
  return parts.map((part) => `definition.event_time.${edge}.${part}`);
}

/** Return the paths of the form's fields in the server's errors. */
export function formPaths(form: StreamForm, options: readonly FormField[]): string[] {
  const of = (fields: readonly FormField[], before: string): string[] =>
    fields.flatMap((field) => [before + field.name, ...of(field.fields, `${before}${field.name}.`)]);
  return [
    ...["name", "definition.shape", "definition.fields", "definition.advance", "definition.advance.late", "adapter"],
    ...form.fields.map((field) => `definition.fields.${field.name.trim()}`),
    "definition.event_time",
    ...timePaths("start", form.unit),
    ...(!lasts(form.shape) ? [] : ["definition.event_time.end", ...timePaths("end", form.endUnit)]),
    ...(form.shape === "edge" ? ["definition.event_time.edge"] : []),
    ...(form.shape === "table" ? ["definition.keys", "definition.version", "definition.clock"] : []),
    ...(form.generate ? ["every", "delay", "basis"].map((key) => `definition.advance.generate.${key}`) : []),
    ...of(options, "adapter.options."),
  ];
}

function generated(advance: Advance | undefined): Partial<StreamForm> {
  const given = advance?.generate;
  if (!given) return { generate: false };
  const text = (value: string | number | undefined, otherwise: string) =>
    value === undefined ? otherwise : `${value}`;
  return {
    generate: true,
    every: text(given.every, ""),
    delay: text(given.delay, "0"),
    basis: given.basis ?? "last",
    final: given.final ?? false,
  };
}

type WrittenTime = NonNullable<Definition["event_time"]>["start"];

/** Return the format of a start, as in the form. */
export function writtenTime({ unit, zone, pattern, time_column }: WrittenTime) {
  return { unit: unit ?? "iso", zone: zone ?? "UTC", pattern: pattern ?? "", clockColumn: time_column ?? "" };
}

/** Return the format of an end, as in the form. */
export function writtenEnd(time: WrittenTime) {
  const { unit, zone, pattern, clockColumn } = writtenTime(time);
  return { endUnit: unit, endZone: zone, endPattern: pattern, endClockColumn: clockColumn };
}

/** Return the event-time columns; without an end column, the end has the format of the start. */
function timed(given: Definition["event_time"]): Partial<StreamForm> {
  if (!given) return {};
  const { start, end, edge } = given;
  return {
    startColumn: start.column,
    ...writtenTime(start),
    endColumn: end?.column ?? "",
    ...writtenEnd(end ?? start),
    edgeColumn: edge ?? "",
  };
}

/** Return the form of a stored stream; settings without form fields are kept. */
export function formOf({ name, definition, adapter }: StreamResponse): StreamForm {
  const { shape, fields, event_time, advance, keys, version, clock, ...rest } = definition;
  const { generate: _, late, ...others } = advance ?? {};
  const preset = others.preset ? (advance ?? {}) : {};
  return {
    ...EMPTY_FORM,
    ...generated(advance),
    name,
    shape: shape ?? "point",
    keys: (keys ?? []).join(", "),
    version: version ?? "",
    clock: clock ?? "",
    fields: Object.entries(fields).map(([each, type], key) => ({ key, name: each, type })),
    ...timed(event_time),
    late: late ?? "drop",
    adapter: adapter.kind,
    kept: { definition: rest, advance: { ...others, ...preset } },
  };
}

/** Return the options of a stored adapter, as in its form. */
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

/** Return `values` without typed secrets, which must not be stored in a browser. */
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
