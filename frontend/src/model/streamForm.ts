/** What is typed in the form of a new stream, and the stream that it says. */

import type { StreamBody } from "./api";

export const SCALAR_TYPES = ["long", "double", "string", "boolean", "timestamp"] as const;
export const TIME_UNITS = ["iso", "s", "ms", "us", "ns"] as const;
type Unit = (typeof TIME_UNITS)[number];

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
  generate: boolean;
  every: string;
  delay: string;
  basis: "last" | "max";
  final: boolean;
  late: "drop" | "adjust" | "shift" | "keep";
  adapter: string;
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
  generate: true,
  every: "100",
  delay: "10s",
  basis: "max",
  final: true,
  late: "drop",
  adapter: "",
};

const whole = /^\d+$/;
const ticks = /^[+-]?\d+$/;

function eventTime(form: StreamForm): NonNullable<StreamBody["definition"]["event_time"]> | null {
  if (form.startColumn === "") return null;
  const at = (column: string) => ({ column, unit: form.unit, zone: form.zone || "UTC" });
  return {
    start: at(form.startColumn),
    end: form.shape !== "point" && form.endColumn !== "" ? at(form.endColumn) : null,
    edge: form.shape === "edge" && form.edgeColumn !== "" ? form.edgeColumn : null,
  };
}

function advance(form: StreamForm): NonNullable<StreamBody["definition"]["advance"]> {
  if (!form.generate) return { late: form.late };
  const every = form.every.trim();
  const delay = form.delay.trim();
  return {
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
      shape: form.shape,
      fields: Object.fromEntries(named.map((field) => [field.name.trim(), field.type.trim()])),
      event_time: eventTime(form),
      advance: advance(form),
    },
    adapter: { kind: form.adapter, options },
  };
}

/** The form after another adapter was chosen: one that knows its fields fills them in. */
export function withAdapter(form: StreamForm, adapter: string, fields: Record<string, string> | null): StreamForm {
  if (fields === null) return { ...form, adapter };
  const typed = Object.entries(fields).map(([name, type], key) => ({ key, name, type }));
  return { ...form, adapter, fields: typed };
}
