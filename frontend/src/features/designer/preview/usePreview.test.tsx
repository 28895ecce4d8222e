// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sampleOf } from "../../../model/simulation/sample/sample";
import type { Simulation } from "../../../model/simulation/types";
import { type Designer, DesignerContext } from "../page/designer";
import { type PageSample, PageSampleContext } from "../sampling/pageSample";
import { PAUSE_MS, usePreview } from "./usePreview";

interface SentRequest {
  text: string;
  signal: AbortSignal;
  answer: () => void;
}

const sent = vi.hoisted((): SentRequest[] => []);
vi.mock("../../../lib/account/session", () => ({ useSlug: () => "acme" }));
vi.mock("../../../lib/api/client", () => ({
  unwrap: (answering: Promise<unknown>) => answering,
  api: {
    POST: (_: string, { body, signal }: { body: { text: string }; signal: AbortSignal }) =>
      new Promise((resolve) => {
        const { text } = body;
        const track = { node: "cars", kind: "input", rows: [] };
        const simulation: Simulation = {
          rows: [],
          staircases: [],
          tracks: [track],
          panes: [],
          order: [],
          outcomes: {},
          holding: [],
          attempts: [],
          failures: [`of ${text}`],
        };
        sent.push({ text, signal, answer: () => resolve(simulation) });
      }),
  },
}));

beforeEach(() => {
  vi.useFakeTimers();
  sent.length = 0;
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const GRAPH = { version: 1, name: "q", nodes: [{ id: "cars", kind: "input", stream: "cars" }] };
const FAULT = { severity: "error", message: "Expected a value.", span: null };
const SAMPLE = sampleOf([{ stream: "cars", start: 1 }], "test");
const PAGE = { sample: SAMPLE, streams: new Map(), loading: false, error: null } as unknown as PageSample;

function designerOf(text: string): Designer {
  const isWrong = text.includes("error");
  const faults = isWrong ? [FAULT] : [];
  return { graph: GRAPH, sql: text, current: !isWrong, faults, known: faults } as unknown as Designer;
}

function Probe() {
  const { state, answer, figures, stop, retry } = usePreview();
  return (
    <>
      <output>{JSON.stringify([state.kind, answer?.simulation.failures[0] ?? null, figures.size])}</output>
      <button type="button" onClick={stop}>
        Stop
      </button>
      <button type="button" onClick={retry}>
        Again
      </button>
    </>
  );
}

/** A page on which a text is typed. */
function opened() {
  const queries = new QueryClient();
  const page = (text: string) => (
    <QueryClientProvider client={queries}>
      <DesignerContext value={designerOf(text)}>
        <PageSampleContext value={PAGE}>
          <Probe />
        </PageSampleContext>
      </DesignerContext>
    </QueryClientProvider>
  );
  const { rerender } = render(page("first"));
  return { type: (text: string) => act(() => rerender(page(text))) };
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function answer(index: number): Promise<void> {
  sent[index]?.answer();
  await pass(0);
}

const statusOf = () => JSON.parse(screen.getByRole("status").textContent ?? "") as [string, string | null, number];

test("the results of the first text are requested at once, later ones after a pause", async () => {
  const { type } = opened();
  await pass(0);
  await answer(0);
  expect(statusOf()).toEqual(["current", "of first", 1]);
  type("second");
  expect(statusOf()).toEqual(["pending", "of first", 0]);
  await pass(PAUSE_MS - 1);
  expect(sent).toHaveLength(1);
  await pass(1);
  expect(sent.map(({ text }) => text)).toEqual(["first", "second"]);
});

test("of fast typing only the last text is requested", async () => {
  const { type } = opened();
  await pass(0);
  await answer(0);
  for (const text of ["a", "ab", "abc"]) {
    type(text);
    await pass(PAUSE_MS - 50);
  }
  await pass(50);
  expect(sent.map(({ text }) => text)).toEqual(["first", "abc"]);
  await answer(1);
  expect(statusOf()).toEqual(["current", "of abc", 1]);
});

test("a slow answer that a faster one overtook is cancelled, and changes nothing", async () => {
  const { type } = opened();
  await pass(0);
  type("second");
  expect(sent[0]?.signal.aborted).toBe(true);
  await pass(PAUSE_MS);
  await answer(1);
  expect(statusOf()).toEqual(["current", "of second", 1]);
  await answer(0);
  expect(statusOf()).toEqual(["current", "of second", 1]);
});

test("an error keeps the last results, marked as old, and the next valid text replaces them", async () => {
  const { type } = opened();
  await pass(0);
  await answer(0);
  type("an error");
  await pass(PAUSE_MS);
  expect(statusOf()).toEqual(["blocked", "of first", 0]);
  expect(sent).toHaveLength(1);
  type("second");
  expect(statusOf()).toEqual(["pending", "of first", 0]);
  await pass(PAUSE_MS);
  await answer(1);
  expect(statusOf()).toEqual(["current", "of second", 1]);
});

test("a slow preview can be stopped and requested again", async () => {
  const { type } = opened();
  await pass(0);
  await answer(0);
  type("second");
  await pass(PAUSE_MS);
  act(() => screen.getByRole("button", { name: "Stop" }).click());
  await pass(0);
  expect(sent[1]?.signal.aborted).toBe(true);
  expect(statusOf()[0]).toBe("stopped");
  act(() => screen.getByRole("button", { name: "Again" }).click());
  await pass(0);
  await answer(2);
  expect(statusOf()).toEqual(["current", "of second", 1]);
});

test("results that are marked as current are those of the text on the screen, whatever happens in which order", async () => {
  const { type } = opened();
  let text = "first";
  let seed = 7;
  const draw = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  let current = 0;
  for (let step = 0; step < 150; step += 1) {
    const action = draw(3);
    if (action === 0) {
      text = ["a", "b", "an error", "c"][draw(4)] ?? "a";
      type(text);
    } else if (action === 1) await pass(draw(2 * PAUSE_MS));
    else await answer(draw(sent.length));
    const [kind, of, figures] = statusOf();
    if (kind === "current") {
      current += 1;
      expect(of).toBe(`of ${text}`);
    } else expect(figures).toBe(0);
  }
  expect(current).toBeGreaterThan(5);
});
