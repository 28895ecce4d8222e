// @vitest-environment happy-dom
import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { QueryGraph } from "../../../model/api";
import { NO_SAMPLE, type Sample, sampleOf } from "../../../model/simulation/sample/sample";
import { beginSample, editSample, endSample, useSampleNow } from "../simulator/sample/sampleStore";
import { useAutomaticSample } from "./automaticSample";

interface Sent {
  path: string;
  body: { stream: string; late_share?: number; seed?: number };
}

const sent = vi.hoisted((): Sent[] => []);
/** The answer of a stream: its rows, or why they can't be read. */
const streams = vi.hoisted((): { rows: Record<string, number | string> } => ({ rows: {} }));
vi.mock("../../../lib/account/session", () => ({ useSlug: () => "acme" }));
vi.mock("../../../lib/api/client", () => ({
  unwrap: (answering: Promise<unknown>) => answering,
  messageOf: (error: Error) => error.message,
  api: {
    POST: async (path: string, { body }: { body: Sent["body"] }) => {
      sent.push({ path, body });
      const known = path.includes("generated") ? 60 : (streams.rows[body.stream] ?? 0);
      if (typeof known === "string") throw new Error(known);
      return { rows: Array.from({ length: known }, (_, start) => ({ stream: body.stream, start })) };
    },
  },
}));

beforeEach(() => {
  sent.length = 0;
  streams.rows = { cars: 100, tolls: 3, empty: 0, offline: "The broker does not answer." };
});
afterEach(() => {
  cleanup();
  endSample();
});

const GRAPH = { version: 1, name: "q", nodes: [] } as unknown as QueryGraph;
const ways = () => sent.map(({ path, body }) => `${path.split("/").at(-2)} ${body.stream}`);

function opened(names: readonly string[], first: Sample = NO_SAMPLE, isRequested = false) {
  beginSample(first);
  return renderHook(
    ({ read }) => {
      const sample = useSampleNow() ?? first;
      return { sample, ...useAutomaticSample({ sample, streams: read, graph: GRAPH, advance: {}, isRequested }) };
    },
    { initialProps: { read: names } },
  );
}

test("without a sample the first rows of the stream are read, and named", async () => {
  const { result } = opened(["cars"]);
  expect(result.current.loading).toBe(true);
  await waitFor(() => expect(result.current.sample.from).toBe("100 rows read from cars"));
  expect([ways(), result.current.loading, result.current.note]).toEqual([["stream cars"], false, ""]);
});

test("the last used sample stays", async () => {
  const last = sampleOf([{ stream: "cars", start: 1 }], "pasted");
  const { result } = opened(["cars"], last);
  await act(async () => undefined);
  expect([result.current.sample, sent]).toEqual([last, []]);
});

test.each([
  ["empty", "There are no rows of empty yet."],
  ["offline", "The first rows of offline can't be read: The broker does not answer."],
])(
  "of the stream %s, which gives no rows, seeded rows are generated, some of them out of order",
  async (name, note) => {
    const { result } = opened([name]);
    await waitFor(() =>
      expect(result.current.sample.from).toBe(`60 rows generated for ${name}, some of them out of order`),
    );
    expect(result.current.note).toBe(note);
    expect(sent.at(-1)?.body).toMatchObject({ stream: name, late_share: 0.2, seed: 1 });
  },
);

test("read and generated rows are never mixed, because their times differ", async () => {
  const { result } = opened(["cars", "empty"]);
  await waitFor(() => expect(result.current.sample.rows).toHaveLength(120));
  expect(ways()).toEqual(["stream cars", "stream empty", "generated cars", "generated empty"]);
});

test("a query that reads another stream gets another sample, unless the user chose or edited it", async () => {
  const { result, rerender } = opened(["cars"]);
  await waitFor(() => expect(result.current.sample.rows).toHaveLength(100));
  rerender({ read: ["tolls"] });
  await waitFor(() => expect(result.current.sample.from).toBe("3 rows read from tolls"));
  act(() => editSample((before) => ({ ...before, end: "none" })));
  rerender({ read: ["cars"] });
  await act(async () => undefined);
  expect(result.current.sample.from).toBe("3 rows read from tolls");
  act(() => result.current.load());
  await waitFor(() => expect(result.current.sample.from).toBe("100 rows read from cars"));
});

test("rows that the user adds while a sample is being loaded are not replaced", async () => {
  const { result } = opened(["cars"]);
  const own = sampleOf([{ stream: "cars", start: 1 }], "pasted");
  act(() => editSample(() => own));
  await act(async () => undefined);
  expect([result.current.sample, result.current.loading]).toEqual([own, false]);
});

test("nothing is loaded while the address requests a sample", async () => {
  opened(["cars"], NO_SAMPLE, true);
  await act(async () => undefined);
  expect(sent).toEqual([]);
});
