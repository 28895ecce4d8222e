import { expect, test } from "vitest";
import type { QueryGraph } from "../../api";
import { importsCtis } from "../../graph/importsCtis";
import { generationFor } from "./generated";

function graphOf(size: string): QueryGraph {
  const window = { id: "w", kind: "window", input: "s", window: { kind: "tumbling", size }, aggregates: [] };
  return { version: 1, name: "q", nodes: [window] } as unknown as QueryGraph;
}

test("a sample lasts a minute or more, and lateness is about twice the delay", () => {
  const made = generationFor(graphOf("10s"), { s: { generate: { every: 1, delay: "20s" } } });
  expect(made).toEqual({
    rows: 60,
    rate: 0.15,
    late_share: 0.2,
    late_mean: "40000000us",
    late_max: "160000000us",
    seed: 1,
  });
});

test("a sample has three windows, and lateness is more than the distance of its rows", () => {
  const made = generationFor(graphOf("1h"), {});
  expect(made.rate).toBeCloseTo(60 / (3 * 3_600));
  expect(made.late_mean).toBe("900000000us");
});

test("only words of the query import CTIs, not those of comments, texts and names", () => {
  expect(importsCtis("ADVANCE TIME b import  from a LATE DROP;")).toBe(true);
  expect(importsCtis("-- IMPORT FROM a\nSELECT STREAM 'IMPORT FROM', `IMPORT FROM` FROM a /* IMPORT FROM */;")).toBe(
    false,
  );
});
