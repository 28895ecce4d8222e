import { expect, test } from "vitest";
import type { StreamResponse } from "../api";
import { formFields, KEPT, readForm } from "../forms/schemaForm";
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

test("the late policy is sent even without generated CTIs", () => {
  expect(streamBody({ ...EMPTY_FORM, generate: false, late: "keep" }, {}).definition.advance).toEqual({ late: "keep" });
});

test("a point has no end column, even if one was typed before", () => {
  const form = { ...EMPTY_FORM, startColumn: "at", endColumn: "until" };
  expect(streamBody(form, {}).definition.event_time?.end).toBeNull();
  expect(streamBody({ ...form, shape: "interval" }, {}).definition.event_time?.end?.column).toBe("until");
});

test("the end of an interval can have another format than the start", () => {
  const form = { ...EMPTY_FORM, shape: "interval", startColumn: "at", endColumn: "until", unit: "ms" } as const;
  const eventTime = streamBody({ ...form, endUnit: "iso", endZone: "Europe/Berlin" }, {}).definition.event_time;
  expect(eventTime?.start).toEqual({ column: "at", unit: "ms", zone: "UTC" });
  expect(eventTime?.end).toEqual({ column: "until", unit: "iso", zone: "Europe/Berlin" });
  expect(formPaths({ ...form, endUnit: "iso", endZone: "UTC" }, [])).toContain("definition.event_time.end.unit");
});

test("fields without a name are left out", () => {
  const fields = [
    { key: 1, name: " a ", type: "long" },
    { key: 2, name: "", type: "string" },
  ];
  expect(streamBody({ ...EMPTY_FORM, fields }, {}).definition.fields).toEqual({ a: "long" });
});

test("an adapter with known fields fills them in, another one keeps the typed ones", () => {
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

test("CTIs are generated only for adapters that don't send them", () => {
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
} as unknown as StreamResponse;
const OPTIONS = formFields({
  properties: {
    url: { type: "string" },
    token: { type: "string", writeOnly: true },
    headers: { type: "object" },
  },
  required: ["url"],
});

test("saving an unchanged stream keeps all settings, including those without form fields", () => {
  const { options } = readForm(OPTIONS, optionValues(OPTIONS, STORED.adapter.options));
  const { name, definition, adapter } = STORED;
  expect(streamBody(formOf(STORED), options)).toEqual({ name, definition, adapter });
});

test("a typed secret is not stored in the browser, a stored one stays", () => {
  const stored = optionValues(OPTIONS, STORED.adapter.options);
  expect(withoutSecrets(OPTIONS, { ...stored, token: "s3cret" }, stored).token).toEqual(KEPT);
  expect(withoutSecrets(OPTIONS, { url: "x", token: "s3cret" }, {})).toEqual({ url: "x", token: "" });
});

test("a duplicate field name is reported, because one of the fields would be lost", () => {
  const fields = [
    { key: 1, name: "a", type: "long" },
    { key: 2, name: " a", type: "string" },
  ];
  expect(Object.keys(formFaults({ ...EMPTY_FORM, fields }))).toEqual(["definition.fields.a"]);
});
