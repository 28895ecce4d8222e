import { expect, test } from "vitest";
import type { StreamDefinition } from "../api";
import { curlSnippet, exampleRow, pythonSnippet } from "./pushSnippets";

const definition = (parts: Partial<StreamDefinition>): StreamDefinition =>
  ({ shape: "point", fields: { speed: "double", plate: "string" }, ...parts }) as StreamDefinition;

test("a row has a value for each field, and times in the stream's columns", () => {
  expect(exampleRow(definition({}))).toEqual({ start: "2026-11-23T10:00:00Z", speed: 1.5, plate: "text" });
  const named = definition({ event_time: { start: { column: "at", unit: "ms" } } as never, fields: { at: "long" } });
  expect(exampleRow(named)).toEqual({ at: 1_795_428_000_000 });
  expect(Object.keys(exampleRow(definition({ shape: "interval", fields: {} })))).toEqual(["start", "end"]);
  expect(exampleRow(definition({ shape: "edge", fields: {} }))).toMatchObject({ edge: "start" });
  expect(exampleRow(definition({ rowtime: "implicit", fields: { tags: "array<string>" } }))).toEqual({ tags: [] });
});

test("quoted text in a snippet stays one argument", () => {
  const address = { url: "https://x.example/api", token: "pct_1_2", row: { name: "it's" } };
  expect(curlSnippet(address)).toContain(`--data-binary '{"name":"it'\\''s"}'`);
  expect(pythonSnippet(address)).toContain(`push([json.loads("{\\"name\\":\\"it's\\"}")])`);
});
