import { expect, test } from "vitest";
import { graphText, readGraphText, startingGraph } from "./graphText";
import { nodeLines } from "./summary";

test("a graph survives its text", () => {
  const graph = startingGraph("clicks");
  expect(readGraphText(graphText(graph)).graph).toEqual(graph);
});

test("text that is no JSON says why and sends nothing", () => {
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

test("a node's lines say what it does", () => {
  const lines = startingGraph("clicks").nodes.map(nodeLines);
  expect(lines).toEqual([["stream clicks"], ["tumbling 1m", "events = count(*)"], ["results"]]);
});
