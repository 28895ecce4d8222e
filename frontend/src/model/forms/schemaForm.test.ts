import { expect, test } from "vitest";
import { formFields, initialValues, isResponse, readForm, titledOptions } from "./schemaForm";

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

test("each property becomes a field of its type", () => {
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

test("empty fields are omitted, and missing required ones are reported", () => {
  const { options, wrong } = readForm(FIELDS, initialValues(FIELDS));
  expect(options).toEqual({ rate: 10, format: "csv", follow: false, every: "10s" });
  expect(wrong).toEqual({ path: "This field is required." });
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

test("an invalid number or JSON is reported at its field", () => {
  const typed = { path: "in", rate: "ten", columns: "{", burst: { size: "1.5" } };
  const { wrong } = readForm(FIELDS, typed);
  expect(Object.keys(wrong)).toEqual(["rate", "columns", "burst.size"]);
});

const SECRET = formFields({
  properties: {
    token: { anyOf: [{ type: "string", writeOnly: true, format: "password" }, { type: "null" }], default: null },
  },
});

test("a stored secret is kept, replaced when typed, and omitted when empty", () => {
  expect(SECRET[0]).toMatchObject({ kind: "secret", initial: "", required: false });
  expect(readForm(SECRET, { token: { sealed: true } }).options).toEqual({ token: { sealed: true } });
  expect(readForm(SECRET, { token: "new" }).options).toEqual({ token: "new" });
  expect(readForm(SECRET, { token: "" })).toEqual({ options: {}, wrong: {} });
});

test("an option with its default value is usual", () => {
  const schema = { properties: { follow: { type: "boolean", default: false }, columns: { default: {} }, path: {} } };
  const titled = titledOptions({ follow: false, columns: {}, path: "a.csv", of_old: 1 }, schema);
  expect(titled.filter(({ usual }) => usual).map(({ name }) => name)).toEqual(["follow", "columns"]);
  const changed = titledOptions({ follow: true, columns: { a: "b" } }, schema);
  expect(changed.some(({ usual }) => usual)).toBe(false);
});

test("a group shows only values that differ from the defaults, and is usual without any", () => {
  const parts = {
    encoding: { enum: ["utf-8", "latin-1"], default: "utf-8" },
    skip_lines: { type: "integer", default: 0 },
    column_names: { type: "array", items: { type: "string" } },
  };
  const schema = { properties: { dialect: { type: "object", title: "Text", properties: parts } } };
  const plain = { encoding: "utf-8", skip_lines: 0, column_names: [] };
  expect(titledOptions({ dialect: plain }, schema)).toEqual([
    { name: "dialect", value: {}, title: "Text", usual: true },
  ]);
  const [set] = titledOptions({ dialect: { ...plain, skip_lines: 3 } }, schema);
  expect(set).toMatchObject({ value: { skip_lines: 3 }, usual: false });
});

test("an option has its form's label, or its name without a field", () => {
  const titled = titledOptions({ path: "a.csv", rate: 10, of_old: 1 }, SCHEMA);
  expect(titled.map(({ title, value }) => [title, value])).toEqual([
    ["File", "a.csv"],
    ["rate", 10],
    ["of old", 1],
  ]);
});

test("a field is relevant if one of its conditions holds, or if it is filled", () => {
  const fields = formFields({
    properties: {
      format: { enum: ["json", "avro"], default: "json" },
      from: { enum: ["text", "registry"], default: "text" },
      schema: { type: "string", "x-shown-with": [{ format: ["avro"], from: ["text"] }, { key: ["avro"] }] },
    },
  });
  const visibleFields = (values: Record<string, string>) =>
    fields.filter((field) => isResponse(field, fields, values)).map(({ name }) => name);
  expect(visibleFields({})).toEqual(["format", "from"]);
  expect(visibleFields({ format: "avro" })).toEqual(["format", "from", "schema"]);
  expect(visibleFields({ format: "avro", from: "registry" })).toEqual(["format", "from"]);
  expect(visibleFields({ schema: "kept" })).toEqual(["format", "from", "schema"]);
});
