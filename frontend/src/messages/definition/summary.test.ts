import { expect, test } from "vitest";
import type { GraphNode } from "../../model/api";
import { readGraphText } from "../../model/graph/graphText";
import { inputsOf, nodeLines } from "./summary";

type Window = Extract<GraphNode, { kind: "window" }>["window"];

const TUMBLING = { kind: "tumbling", size: "1m" } as const;
const NODES: { [Kind in GraphNode["kind"]]: [Extract<GraphNode, { kind: Kind }>, string[], string[]] } = {
  input: [{ id: "x", kind: "input", stream: "cars" }, [], ["stream cars"]],
  filter: [{ id: "x", kind: "filter", input: "a", where: "v > 1" }, ["a"], ["v > 1"]],
  project: [{ id: "x", kind: "project", input: "a", columns: [{ name: "w", of: "v + 1" }] }, ["a"], ["w = v + 1"]],
  shift: [{ id: "x", kind: "shift", input: "a", by: "-5m" }, ["a"], ["starts and ends by -5m"]],
  set_duration: [{ id: "x", kind: "set_duration", input: "a", duration: "1h" }, ["a"], ["1h from the start"]],
  extend: [{ id: "x", kind: "extend", input: "a", by: "1s" }, ["a"], ["ends by 1s"]],
  clip: [
    { id: "x", kind: "clip", input: "a", by: "b", keys: ["k"] },
    ["a", "b"],
    ["a until the next b", "with equal k"],
  ],
  point_at_end: [{ id: "x", kind: "point_at_end", input: "a" }, ["a"], ["a point at each end"]],
  to_intervals: [{ id: "x", kind: "to_intervals", input: "a" }, ["a"], ["one interval for each edge"]],
  order_edges: [{ id: "x", kind: "order_edges", input: "a" }, ["a"], ["starts and ends sorted by time"]],
  chop: [{ id: "x", kind: "chop", input: "a", period: "10m", offset: 0 }, ["a"], ["cut every 10m"]],
  analytic: [
    {
      id: "x",
      kind: "analytic",
      input: "a",
      group_by: ["k"],
      order_by: [],
      reach: "1h",
      columns: [{ name: "before", function: "lag", of: "v", offset: 1, ignore_nulls: false, least: 10, drift: 0 }],
    },
    ["a"],
    ["for each k", "sees rows within 1h", "before = lag(v)"],
  ],
  stitch: [{ id: "x", kind: "stitch", input: "a" }, ["a"], ["equal rows that meet joined"]],
  union: [{ id: "x", kind: "union", inputs: ["a", "b", "c"] }, ["a", "b", "c"], ["all of a, b, c"]],
  join: [
    { id: "x", kind: "join", left: "a", right: "b", keys: ["k"], where: "v > w", type: "left_outer" },
    ["a", "b"],
    ["a with b, or nulls", "with equal k", "v > w"],
  ],
  anti_join: [{ id: "x", kind: "anti_join", left: "a", right: "b" }, ["a", "b"], ["a while no b matches"]],
  semi_join: [{ id: "x", kind: "semi_join", left: "a", right: "b" }, ["a", "b"], ["a while a b matches"]],
  asof_join: [
    { id: "x", kind: "asof_join", left: "a", right: "b", keys: ["k"] },
    ["a", "b"],
    ["a with the latest b", "with equal k"],
  ],
  window: [
    {
      id: "x",
      kind: "window",
      input: "a",
      window: TUMBLING,
      group_by: ["k"],
      grace: "30s",
      emit: "running",
      retract: true,
      empty: "default",
      aggregates: [
        { name: "n", function: "count" },
        { name: "best", function: "topk", of: "v", k: 3, filter: "v > 0" },
      ],
    },
    ["a"],
    [
      "tumbling 1m",
      "for each k",
      "closes 30s after its end",
      "a row on each change, with deletions",
      "also rows for empty windows",
      "n = count(*)",
      "best = topk(v, 3) where v > 0",
    ],
  ],
  top_k: [
    { id: "x", kind: "top_k", input: "a", window: TUMBLING, by: "v", k: 3 },
    ["a"],
    ["largest 3 by v", "tumbling 1m"],
  ],
  match_recognize: [
    {
      id: "x",
      kind: "match_recognize",
      input: "a",
      pattern: "A B+",
      within: "1h",
      group_by: ["k"],
      define: [{ name: "B", of: "v > 1" }],
      measures: [{ name: "n", of: "COUNT(B.*)" }],
    },
    ["a"],
    ["A B+", "within 1h", "for each k", "B: v > 1", "n = COUNT(B.*)"],
  ],
  output: [
    { id: "x", kind: "output", input: "a", timestamp: "point_at_end" },
    ["a"],
    ["results, as points at their end"],
  ],
};

test.each(Object.values(NODES).map((each) => each as [GraphNode, string[], string[]]))(
  "a node can be drawn and described: $kind",
  (node, inputs, lines) => {
    const text = JSON.stringify({ version: 1, name: "q", nodes: [node] });
    expect(readGraphText(text).graph?.nodes).toEqual([node]);
    expect(inputsOf(node)).toEqual(inputs);
    expect(nodeLines(node)).toEqual(lines);
  },
);

const WINDOWS: [Window, string][] = [
  [{ kind: "tumbling", size: "1m", offset: "5s" }, "tumbling 1m, offset 5s"],
  [{ kind: "hopping", size: "5m", hop: "1m" }, "hopping 5m every 1m"],
  [{ kind: "hopping", size: 0, hop: "1m", offset: 0 }, "hopping 0 every 1m"],
  [{ kind: "time_interval", duration: "5m", discard_age: "1m" }, "panes of 5m, discarded 1m after its end"],
  [{ kind: "time_interval", duration: "5m", period: "1m", offset: "9s" }, "panes of 5m every 1m, offset 9s"],
  [{ kind: "session", gap: "5m", max: null }, "sessions with gaps of 5m"],
  [{ kind: "session", gap: "5m", max: "1h" }, "sessions with gaps of 5m, at most 1h long"],
  [{ kind: "snapshot" }, "snapshots"],
  [{ kind: "count", n: 3 }, "every 3 starts"],
];

test.each(WINDOWS)("windows are described: %j", (window, words) => {
  const node: GraphNode = { id: "x", kind: "window", input: "a", window, aggregates: [] };
  expect(nodeLines(node)).toEqual([words]);
});

test("the lines of a whole query describe its nodes in order", () => {
  const nodes: GraphNode[] = [
    { kind: "input", id: "events", stream: "clicks" },
    {
      kind: "window",
      id: "per_minute",
      input: "events",
      window: TUMBLING,
      aggregates: [{ name: "events", function: "count" }],
    },
    { kind: "output", id: "results", input: "per_minute" },
  ];
  expect(nodes.map(nodeLines)).toEqual([["stream clicks"], ["tumbling 1m", "events = count(*)"], ["results"]]);
});
