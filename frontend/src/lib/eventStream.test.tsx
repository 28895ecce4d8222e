// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { useEventStream } from "./eventStream";

/** A stream that the server refuses, as it refuses who is signed out and what is deleted. */
class RefusedStream {
  static readonly CLOSED = 2;
  readonly readyState = RefusedStream.CLOSED;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;

  constructor() {
    queueMicrotask(() => this.onerror?.());
  }

  addEventListener(): void {}
  close(): void {}
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Follower({ onRefused }: { onRefused: () => void }) {
  return useEventStream("/events/", {}, { onReturn: () => {}, onRefused });
}

test("whoever follows a stream that is refused is told, for it cannot say why", async () => {
  vi.stubGlobal("EventSource", RefusedStream);
  const onRefused = vi.fn();
  render(<Follower onRefused={onRefused} />);
  await vi.waitFor(() => expect(onRefused).toHaveBeenCalled());
});
