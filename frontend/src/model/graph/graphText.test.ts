import { expect, test } from "vitest";
import type { QueryGraph } from "../api";
import { graphText, readGraphText, renamedText, startingText } from "./graphText";

const COUNTING: QueryGraph = {
  version: 1,
  name: "events_per_minute",
  nodes: [
    { kind: "input", id: "events", stream: "clicks" },
    {
      kind: "window",
      id: "per_minute",
      input: "events",
      group_by: [],
      window: { kind: "tumbling", size: "1m" },
      aggregates: [{ name: "events", function: "count" }],
    },
    { kind: "output", id: "results", input: "per_minute" },
  ],
};

test("a graph survives its text", () => {
  expect(readGraphText(graphText(COUNTING)).graph).toEqual(COUNTING);
});

test("invalid JSON is reported and not sent", () => {
  const read = readGraphText('{"version": 1,');
  expect(read.value).toBeNull();
  expect(read.problem).not.toBeNull();
});

test.each([
  '{"name": "q", "nodes": [{"id": "a", "kind": "teleport"}]}',
  '{"name": "q", "nodes": [{"id": "a", "kind": "window", "input": "b"}]}',
  '{"name": "q", "nodes": {}}',
  "[]",
  "null",
])("%s is JSON that the server checks, but cannot be drawn", (text) => {
  const read = readGraphText(text);
  expect(read.problem).toBeNull();
  expect(read.graph).toBeNull();
});

test("a stream whose name is an SQL word is quoted with backticks", () => {
  expect(startingText("clicks")).toContain("FROM clicks\n");
  expect(startingText("Window")).toContain("FROM `Window`\n");
});

test("a copy of a query has another name, and the same text otherwise", () => {
  expect(renamedText("-- Fast\nQUERY fast;\nSELECT fast", "fast", "fast_copy")).toBe(
    "-- Fast\nQUERY fast_copy;\nSELECT fast",
  );
});
