import { expect, test } from "vitest";
import { formFields, initialValues, isShown, readForm, titledOptions } from "./schemaForm";

const SCHEMA = {
  type: "object",
  required: ["path", "rate"],
  properties: {
    path: { type: "string", title: "File", description: "Inside the folder." },
    rate: { type: "integer", default: 10 },
    seed: { anyOf: [{ type: "integer" }, { type: "null" }], default: null },
    format: { $ref: "#/$defs/Format", default: "csv" },
    follow: { type: "boolean", default: false },
    every: { anyOf: [{ type: "integer" }, { type: "string" }], default: "10s" },
    columns: { type: "object", additionalProperties: { type: "string" } },
    burst: { $ref: "#/$defs/Burst" },
    certificate: { anyOf: [{ type: "string", maxLength: 65_536 }, { type: "null" }], default: null },
  },
  $defs: {
    Format: { enum: ["csv", "parquet"], type: "string" },
    Burst: { type: "object", properties: { size: { type: "integer" } } },
  },
};

const FIELDS = formFields(SCHEMA);

test("each property becomes the field that fits its type", () => {
  expect(FIELDS.map((field) => [field.name, field.kind])).toEqual([
    ["path", "text"],
    ["rate", "integer"],
    ["seed", "integer"],
    ["format", "choice"],
    ["follow", "boolean"],
    ["every", "text"],
    ["columns", "json"],
    ["burst", "group"],
    ["certificate", "lines"],
  ]);
  expect(FIELDS[0]).toMatchObject({ title: "File", help: "Inside the folder.", required: true });
  expect(FIELDS[3]?.choices).toEqual(["csv", "parquet"]);
});

test("what is left empty is left out, and what is needed is said", () => {
  const { options, wrong } = readForm(FIELDS, initialValues(FIELDS));
  expect(options).toEqual({ rate: 10, format: "csv", follow: false, every: "10s" });
  expect(wrong).toEqual({ path: "This is needed." });
});

test("typed text becomes values of the schema's types", () => {
  const typed = { ...initialValues(FIELDS), path: "in", seed: "7", columns: '{"a": "b"}', burst: { size: "3" } };
  expect(readForm(FIELDS, typed)).toEqual({
    options: {
      path: "in",
      rate: 10,
      seed: 7,
      format: "csv",
      follow: false,
      every: "10s",
      columns: { a: "b" },
      burst: { size: 3 },
    },
    wrong: {},
  });
});

test("what is no number or no JSON is said at its field", () => {
  const typed = { path: "in", rate: "ten", columns: "{", burst: { size: "1.5" } };
  const { wrong } = readForm(FIELDS, typed);
  expect(Object.keys(wrong)).toEqual(["rate", "columns", "burst.size"]);
});

const SECRET = formFields({
  properties: {
    token: { anyOf: [{ type: "string", writeOnly: true, format: "password" }, { type: "null" }], default: null },
  },
});

test("a secret that is stored is kept, replaced by what is typed, and left out when it is empty", () => {
  expect(SECRET[0]).toMatchObject({ kind: "secret", initial: "", required: false });
  expect(readForm(SECRET, { token: { sealed: true } }).options).toEqual({ token: { sealed: true } });
  expect(readForm(SECRET, { token: "new" }).options).toEqual({ token: "new" });
  expect(readForm(SECRET, { token: "" })).toEqual({ options: {}, wrong: {} });
});

test("an option that is as it would be by default is usual", () => {
  const schema = { properties: { follow: { type: "boolean", default: false }, columns: { default: {} }, path: {} } };
  const titled = titledOptions({ follow: false, columns: {}, path: "a.csv", of_old: 1 }, schema);
  expect(titled.filter(({ usual }) => usual).map(({ name }) => name)).toEqual(["follow", "columns"]);
  const changed = titledOptions({ follow: true, columns: { a: "b" } }, schema);
  expect(changed.some(({ usual }) => usual)).toBe(false);
});

test("an option is called as in its form, and one that has no field by its name", () => {
  const titled = titledOptions({ path: "a.csv", rate: 10, of_old: 1 }, SCHEMA);
  expect(titled.map(({ title, value }) => [title, value])).toEqual([
    ["File", "a.csv"],
    ["rate", 10],
    ["of old", 1],
  ]);
});

test("a field matters where one of its conditions holds, and where something stands in it", () => {
  const fields = formFields({
    properties: {
      format: { enum: ["json", "avro"], default: "json" },
      from: { enum: ["text", "registry"], default: "text" },
      schema: { type: "string", "x-shown-with": [{ format: ["avro"], from: ["text"] }, { key: ["avro"] }] },
    },
  });
  const shown = (values: Record<string, string>) =>
    fields.filter((field) => isShown(field, fields, values)).map(({ name }) => name);
  expect(shown({})).toEqual(["format", "from"]);
  expect(shown({ format: "avro" })).toEqual(["format", "from", "schema"]);
  expect(shown({ format: "avro", from: "registry" })).toEqual(["format", "from"]);
  expect(shown({ schema: "kept" })).toEqual(["format", "from", "schema"]);
});
