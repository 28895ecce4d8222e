import { expect, test } from "vitest";
import type { StreamShown } from "./api";
import { formFields, KEPT, readForm } from "./schemaForm";
import {
  EMPTY_FORM,
  formFaults,
  formOf,
  formPaths,
  optionValues,
  streamBody,
  withAdapter,
  withoutSecrets,
} from "./streamForm";

test("a whole number is a count of events, text is a duration", () => {
  const counted = streamBody({ ...EMPTY_FORM, every: "100", delay: "-1" }, {});
  expect(counted.definition.advance?.generate).toMatchObject({ every: 100, delay: -1 });
  const timed = streamBody({ ...EMPTY_FORM, every: "10s", delay: "PT5M" }, {});
  expect(timed.definition.advance?.generate).toMatchObject({ every: "10s", delay: "PT5M" });
});

test("the late policy is said also where no CTIs are generated", () => {
  expect(streamBody({ ...EMPTY_FORM, generate: false, late: "keep" }, {}).definition.advance).toEqual({ late: "keep" });
});

test("a point has no end column, whatever was typed before", () => {
  const form = { ...EMPTY_FORM, startColumn: "at", endColumn: "until" };
  expect(streamBody(form, {}).definition.event_time?.end).toBeNull();
  expect(streamBody({ ...form, shape: "interval" }, {}).definition.event_time?.end?.column).toBe("until");
});

test("the end of an interval is written as the form says, which may be another way than the start", () => {
  const form = { ...EMPTY_FORM, shape: "interval", startColumn: "at", endColumn: "until", unit: "ms" } as const;
  const said = streamBody({ ...form, endUnit: "iso", endZone: "Europe/Berlin" }, {}).definition.event_time;
  expect(said?.start).toEqual({ column: "at", unit: "ms", zone: "UTC" });
  expect(said?.end).toEqual({ column: "until", unit: "iso", zone: "Europe/Berlin" });
  expect(formPaths({ ...form, endUnit: "iso", endZone: "UTC" }, [])).toContain("definition.event_time.end.unit");
});

test("fields without a name are left out", () => {
  const fields = [
    { key: 1, name: " a ", type: "long" },
    { key: 2, name: "", type: "string" },
  ];
  expect(streamBody({ ...EMPTY_FORM, fields }, {}).definition.fields).toEqual({ a: "long" });
});

test("an adapter that knows its fields fills them in, another one leaves what was typed", () => {
  const file = { kind: "file", fields: null, clocked: [] };
  const generator = { kind: "generator", fields: { lane: "long", speed: "double" }, clocked: [] };
  const filled = withAdapter(EMPTY_FORM, generator, file);
  expect(filled.adapter).toBe("generator");
  expect(filled.fields.map(({ name, type }) => [name, type])).toEqual([
    ["lane", "long"],
    ["speed", "double"],
  ]);
  expect(withAdapter(filled, file, generator).fields).toEqual(filled.fields);
});

test("an adapter whose rows come with CTIs has none generated, and another one has them again", () => {
  const file = { kind: "file", fields: null, clocked: [] };
  const changes = { kind: "postgresql_changes", fields: null, clocked: ["edge" as const] };
  const chosen = withAdapter(EMPTY_FORM, changes, file);
  expect(chosen).toMatchObject({ shape: "edge", generate: false });
  expect(withAdapter(chosen, file, changes)).toMatchObject({ shape: "point", generate: true });
  expect(withAdapter({ ...EMPTY_FORM, shape: "edge" }, file, file).shape).toBe("edge");
  expect(withAdapter({ ...EMPTY_FORM, generate: false }, file, file).generate).toBe(false);
});

const STORED = {
  id: "s1",
  name: "cars",
  revision: "r1",
  definition: {
    shape: "interval",
    fields: { plate: "string", speed: "double" },
    event_time: {
      start: { column: "at", unit: "ms", zone: "UTC" },
      end: { column: "until", unit: "s", zone: "Europe/Berlin" },
      edge: null,
    },
    rowtime: "explicit",
    advance: {
      generate: { every: "10s", delay: -1, basis: "max", final: true },
      late: "adjust",
      over: "plate",
      idle_after: "5m",
      idle: "leave_out",
    },
    lanes: ["a", "b"],
  },
  adapter: { kind: "download", options: { url: "https://x.example", token: { sealed: true }, headers: { a: "b" } } },
} as unknown as StreamShown;
const OPTIONS = formFields({
  properties: {
    url: { type: "string" },
    token: { type: "string", writeOnly: true },
    headers: { type: "object" },
  },
  required: ["url"],
});

test("a stored stream that is opened and saved says what it said, also what the form has no fields for", () => {
  const { options } = readForm(OPTIONS, optionValues(OPTIONS, STORED.adapter.options));
  const { name, definition, adapter } = STORED;
  expect(streamBody(formOf(STORED), options)).toEqual({ name, definition, adapter });
});

test("a secret that was typed is not kept in the browser, one that is stored stays", () => {
  const stored = optionValues(OPTIONS, STORED.adapter.options);
  expect(withoutSecrets(OPTIONS, { ...stored, token: "s3cret" }, stored).token).toEqual(KEPT);
  expect(withoutSecrets(OPTIONS, { url: "x", token: "s3cret" }, {})).toEqual({ url: "x", token: "" });
});

test("a name of a field that stands twice is told, for one of both would be lost", () => {
  const fields = [
    { key: 1, name: "a", type: "long" },
    { key: 2, name: " a", type: "string" },
  ];
  expect(Object.keys(formFaults({ ...EMPTY_FORM, fields }))).toEqual(["definition.fields.a"]);
});
