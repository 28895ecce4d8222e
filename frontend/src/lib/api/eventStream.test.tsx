// @vitest-environment happy-dom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LOOKS_EVERY_S, useEventStream } from "./eventStream";

const opened: { onopen?: () => void; onerror?: () => void; readyState: number; close: () => void }[] = [];

class Refusing {
  static readonly CLOSED = 2;
  readyState = 2;
  onopen?: () => void;
  onerror?: () => void;
  constructor() {
    opened.push(this);
  }
  addEventListener() {}
  close() {}
}

const looked = vi.fn();
const notified = vi.fn();

function Page() {
  return <p>{useEventStream("/api/events/", { state: () => {} }, { onReturn: looked, onRefused: notified })}</p>;
}

async function refusedWith(status: number) {
  vi.stubGlobal("fetch", async () => new Response("{}", { status }));
  await act(async () => opened.at(-1)?.onerror?.());
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Refusing);
  opened.length = 0;
  looked.mockReset();
  notified.mockReset();
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a stream refused because too many are open reports that, and the page polls until there is room", async () => {
  render(<Page />);
  await refusedWith(429);
  expect(screen.getByText("full")).toBeTruthy();
  expect(looked).toHaveBeenCalledTimes(1);
  await act(async () => vi.advanceTimersByTime(LOOKS_EVERY_S * 1_000));
  expect(opened).toHaveLength(2);
  await refusedWith(429);
  expect(looked).toHaveBeenCalledTimes(2);
  await act(async () => vi.advanceTimersByTime(LOOKS_EVERY_S * 1_000));
  await act(async () => opened.at(-1)?.onopen?.());
  expect(screen.getByText("live")).toBeTruthy();
});

test("a refused stream notifies its follower, because it can't give a reason, and is retried", async () => {
  render(<Page />);
  await refusedWith(404);
  await act(async () => vi.advanceTimersByTime(7_000));
  expect(screen.getByText("broken")).toBeTruthy();
  expect(looked).not.toHaveBeenCalled();
  expect(notified).toHaveBeenCalledTimes(1);
});
