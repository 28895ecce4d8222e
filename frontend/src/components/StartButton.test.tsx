// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NextStartWords, StartButton } from "./StartButton";

const known = vi.hoisted(() => ({ next: {} as Record<string, unknown>, mutate: vi.fn() }));

vi.mock("../lib/runControl", () => ({
  useStart: () => ({ mutate: known.mutate, isPending: false, error: null }),
  useNextStart: () => ({
    data: known.next,
    isPending: false,
    isError: false,
    isFetching: false,
    refetch: () => Promise.resolve({ data: known.next }),
  }),
}));

const OPTIONS = [
  { begin: "oldest_open", sentence: "It reads again.", rows_again: 1, incomplete: false, whole_from: null },
  { begin: "old_positions", sentence: "It leaves behind.", rows_again: 0, incomplete: true, whole_from: 5 },
];

beforeEach(() => known.mutate.mockReset());
afterEach(cleanup);

function shown(next: Record<string, unknown>) {
  known.next = next;
  render(<StartButton binding="b" name="watch" words="Start" label="Start watch" reason={null} onStarted={vi.fn()} />);
  return userEvent.click(screen.getByRole("button", { name: "Start watch" }));
}

test("a start that leaves nothing behind asks nothing", async () => {
  await shown({ goes_on: true, sentence: "It goes on.", options: [OPTIONS[1]] });
  expect(known.mutate.mock.calls[0]?.[0]).toEqual({ binding: "b" });
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a start whose state does not fit says what each choice does, and reads again unless told otherwise", async () => {
  await shown({ goes_on: false, sentence: "It reads again.", options: OPTIONS });
  expect(known.mutate).not.toHaveBeenCalled();
  const again = screen.getByRole("radio", { name: "Read again what was open: 1 row, nothing is lost" });
  expect((again as HTMLInputElement).checked).toBe(true);
  expect(screen.getByRole("dialog").textContent).toContain("It leaves behind.");
  await userEvent.click(screen.getByRole("radio", { name: /^Go on where it had read to: the first results/ }));
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  expect(known.mutate.mock.calls[0]?.[0]).toEqual({ binding: "b", begin: "old_positions" });
});

test("a stop promises no more than is so", () => {
  known.next = { goes_on: false, sentence: "What was open is left behind.", options: [] };
  render(<NextStartWords binding="b" />);
  expect(document.body.textContent).toContain("as the binding is now: What was open is left behind.");
  expect(document.body.textContent).not.toContain("goes on where this run stopped");
});
