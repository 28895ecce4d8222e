import fc from "fast-check";
import { expect, test } from "vitest";
import type { GraphNode, QueryGraph } from "../../api";
import { EDITS, GRAPHS, shapeProblems } from "./arbitraries";
import { copiedText, nodesIn } from "./clipboard";
import { applyEdit, freeId, freshNode, pastedIds, renameProblem } from "./edits";
import { NODE_KINDS, NOTHING, newNode, paletteGroups, windowOf } from "./kinds";
import { connectionProblem, portsOf, readableFor } from "./ports";

function graphOf(...nodes: GraphNode[]): QueryGraph {
  return { version: 1, name: "q", nodes };
}

const CHAIN = graphOf(
  newNode("input", "cars", { stream: "cars" }),
  newNode("filter", "fast", { input: "cars" }),
  newNode("output", "out", { input: "fast" }),
);

const reads = (graph: QueryGraph, id: string) =>
  graph.nodes.filter((node) => node.id === id).flatMap((node) => portsOf(node).map((port) => port.reads));

test("any edit of any graph keeps it valid for the API, and acyclic if it was", () => {
  fc.assert(
    fc.property(GRAPHS, fc.array(EDITS, { maxLength: 20 }), (graph, edits) => {
      const after = edits.reduce((before, edit) => (edit.do === "comment" ? before : applyEdit(before, edit)), graph);
      expect(shapeProblems(after)).toEqual([]);
    }),
  );
});

test("the palette has every kind once", () => {
  const listed = paletteGroups().flatMap(([, kinds]) => kinds);
  expect(listed.toSorted()).toEqual(NODE_KINDS.toSorted());
});

test("a node inserted between two is read by the readers of the first", () => {
  const after = applyEdit(CHAIN, { do: "add", node: newNode("window", "w"), after: "fast", between: true });
  expect(after.nodes.map(({ id }) => id)).toEqual(["cars", "fast", "w", "out"]);
  expect([reads(after, "w"), reads(after, "out")]).toEqual([["fast"], ["w"]]);
});

test("a node inserted before another reads that one's input", () => {
  const node = newNode("shift", "later");
  const after = applyEdit(CHAIN, { do: "addBefore", node, before: "out", port: "input" });
  expect(after.nodes.map(({ id }) => id)).toEqual(["cars", "fast", "later", "out"]);
  expect([reads(after, "later"), reads(after, "out")]).toEqual([["fast"], ["later"]]);
});

test("readers of a removed node read its input", () => {
  expect(reads(applyEdit(CHAIN, { do: "remove", ids: ["fast"] }), "out")).toEqual(["cars"]);
  expect(reads(applyEdit(CHAIN, { do: "remove", ids: ["cars", "fast"] }), "out")).toEqual([NOTHING]);
});

test("the last node is not removed", () => {
  const all = CHAIN.nodes.map(({ id }) => id);
  expect(applyEdit(CHAIN, { do: "remove", ids: all })).toBe(CHAIN);
});

test("a connection that would close a cycle is refused with a message", () => {
  expect(connectionProblem(CHAIN, "fast", "fast")).toContain("cycle");
  const filters = graphOf(newNode("filter", "a", { input: "b" }), newNode("filter", "b"));
  expect(applyEdit(filters, { do: "connect", from: "a", to: "b", port: "input" })).toBe(filters);
  expect(readableFor(filters, "b")).toEqual([]);
  expect(readableFor(filters, "a")).toEqual(["b"]);
});

test("a union grows by its free port, and shrinks to at least two inputs", () => {
  const start = graphOf(...["a", "b", "c"].map((id) => newNode("input", id)), newNode("union", "u"));
  const connect = (graph: QueryGraph, from: string, index: number) =>
    applyEdit(graph, { do: "connect", from, to: "u", port: `inputs[${index}]` });
  const three = connect(connect(connect(start, "a", 0), "b", 1), "c", 2);
  expect(reads(three, "u")).toEqual(["a", "b", "c", NOTHING]);
  const two = applyEdit(three, { do: "disconnect", to: "u", port: "inputs[0]" });
  expect(reads(two, "u")).toEqual(["b", "c", NOTHING]);
  expect(reads(applyEdit(two, { do: "disconnect", to: "u", port: "inputs[0]" }), "u")).toEqual([NOTHING, "c", NOTHING]);
});

test("all readers follow a rename", () => {
  const after = applyEdit(CHAIN, { do: "rename", from: "fast", to: "quick" });
  expect(reads(after, "out")).toEqual(["quick"]);
  expect(renameProblem(CHAIN, "fast", "out")).toContain("already");
  expect(renameProblem(CHAIN, "fast", "1st")).toContain("letter");
  expect(renameProblem(CHAIN, "fast", "pane_x")).toContain("reserved");
});

test("pasted nodes have new ids and stay connected among themselves", () => {
  fc.assert(
    fc.property(GRAPHS, GRAPHS, (graph, other) => {
      const nodes =
        nodesIn(
          copiedText(
            other,
            other.nodes.map(({ id }) => id),
          ),
        ) ?? [];
      const fresh = pastedIds(graph, nodes);
      const after = applyEdit(graph, { do: "paste", nodes });
      const known = new Set(graph.nodes.map(({ id }) => id));
      expect(after.nodes.slice(0, graph.nodes.length)).toEqual(graph.nodes);
      expect(after.nodes.length).toBe(graph.nodes.length + other.nodes.length);
      expect([...fresh.values()].filter((id) => known.has(id))).toEqual([]);
      for (const [index, node] of nodes.entries()) {
        const expected = portsOf(node).map(
          (port) => fresh.get(port.reads) ?? (known.has(port.reads) ? port.reads : NOTHING),
        );
        expect(reads(after, fresh.get(node.id) ?? "")).toEqual(expected);
        expect(after.nodes[graph.nodes.length + index]?.kind).toBe(node.kind);
      }
    }),
  );
});

test("text without nodes is not pasted", () => {
  expect(nodesIn("SELECT 1")).toBe(null);
  expect(nodesIn('{"version": 1, "name": "q", "nodes": []}')).toBe(null);
});

test("new ids continue the numbering", () => {
  expect(freeId(CHAIN, "fast")).toBe("fast_2");
  expect(freeId(applyEdit(CHAIN, { do: "rename", from: "fast", to: "fast_2" }), "fast_2")).toBe("fast_3");
  expect(freshNode(CHAIN, "input", { stream: "cars" }).id).toBe("cars_2");
});

test("a window of another kind keeps the lengths that both kinds have", () => {
  expect(windowOf("hopping", { size: "7m" })).toMatchObject({ kind: "hopping", size: "7m", hop: "1m" });
  expect(windowOf("count", { size: "7m" })).toEqual({ kind: "count", n: 10 });
});
