// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { POLL_MS, useChangeRefusal } from "./versionChange";

const known = vi.hoisted(() => ({ refusal: null as string | null }));

vi.mock("../account/session", () => ({ useSlug: () => "demo" }));
vi.mock("../api/client", () => ({
  api: { GET: async () => ({ change: null, refusal: known.refusal }) },
  unwrap: (answer: unknown) => answer,
}));

function Refusal() {
  const { data } = useChangeRefusal("b", "v2");
  return <p>{data === undefined ? "asking" : (data.refusal ?? "it can")}</p>;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test("a change that is refused now is offered as soon as it becomes possible", async () => {
  known.refusal = "The run has not been through a batch yet.";
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Refusal />
    </QueryClientProvider>,
  );
  await act(async () => vi.advanceTimersByTimeAsync(1));
  expect(screen.getByText("The run has not been through a batch yet.")).toBeTruthy();
  known.refusal = null;
  await act(async () => vi.advanceTimersByTimeAsync(POLL_MS + 1));
  expect(screen.getByText("it can")).toBeTruthy();
});
