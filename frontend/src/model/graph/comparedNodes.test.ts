import { expect, test } from "vitest";
import type { DefinitionDifference, QueryGraph } from "../api";
import { comparedNodes } from "./comparedNodes";

const graph = (...ids: string[]) =>
  ({ version: 1, name: "q", nodes: ids.map((id) => ({ id, kind: "input", stream: id })) }) as QueryGraph;
const difference = (node: string, change: DefinitionDifference["change"]) => ({
  node,
  change,
  words: `${node} ${change}`,
});

test("every node of either version appears once, removed ones at their old position", () => {
  const differences = [difference("b", "removed"), difference("d", "added"), difference("c", "changed")];
  const compared = comparedNodes(graph("a", "b", "c"), graph("a", "c", "d"), differences);
  expect(compared.map(({ node, change }) => [node.id, change])).toEqual([
    ["a", "same"],
    ["b", "removed"],
    ["c", "changed"],
    ["d", "added"],
  ]);
  expect(compared[2]?.words).toEqual(["c changed"]);
});

test("a removed first node stays first", () => {
  expect(comparedNodes(graph("a", "b"), graph("b"), [difference("a", "removed")])[0]?.change).toBe("removed");
});
