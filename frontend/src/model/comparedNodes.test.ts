import { expect, test } from "vitest";
import type { DefinitionDifference, QueryGraph } from "./api";
import { comparedNodes } from "./comparedNodes";

const graph = (...ids: string[]) =>
  ({ version: 1, name: "q", nodes: ids.map((id) => ({ id, kind: "input", stream: id })) }) as QueryGraph;
const said = (node: string, change: DefinitionDifference["change"]) => ({ node, change, words: `${node} ${change}` });

test("every node of either version is there once, removed ones where they stood", () => {
  const differences = [said("b", "removed"), said("d", "added"), said("c", "changed")];
  const compared = comparedNodes(graph("a", "b", "c"), graph("a", "c", "d"), differences);
  expect(compared.map(({ node, change }) => [node.id, change])).toEqual([
    ["a", "same"],
    ["b", "removed"],
    ["c", "changed"],
    ["d", "added"],
  ]);
  expect(compared[2]?.words).toEqual(["c changed"]);
});

test("the first node that is gone stands first", () => {
  expect(comparedNodes(graph("a", "b"), graph("b"), [said("a", "removed")])[0]?.change).toBe("removed");
});
