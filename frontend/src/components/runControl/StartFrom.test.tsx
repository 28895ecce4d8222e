// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiFailure } from "../../lib/api/client";
import { StartFrom } from "./StartFrom";

const known = vi.hoisted(() => ({
  start: vi.fn(),
  ask: vi.fn(),
  next: vi.fn(),
  inputs: [] as Record<string, unknown>[],
  shown: {} as Record<string, unknown>,
}));

vi.mock("../../lib/resources/runControl", async (original) => ({
  ...(await original<object>()),
  useStart: () => ({ mutateAsync: known.start, isPending: false, error: null }),
  useNextStart: () => ({
    data: {
      goes_on: true,
      reason: null,
      sentence: "It resumes.",
      options: [],
      nodes: [],
      mark: "m",
      inputs_ended: false,
      delivers_to: [],
      ...known.shown,
    },
    refetch: known.next,
  }),
  useTimeline: () => ({ inputs: known.inputs, error: null, retry: vi.fn(), ask: known.ask }),
}));

const refusal = (code: string, node: string | null = null) =>
  new ApiFailure(409, {
    code,
    message: "Nothing was started.",
    faults: [
      { code: "bad_adapter" as const, severity: "error" as const, node, field: "begin", message: "", remedy: "" },
    ],
  });
const onStarted = vi.fn();

beforeEach(() => {
  known.inputs = [];
  known.shown = {};
  for (const each of [known.start, known.ask, known.next, onStarted]) each.mockReset();
});
afterEach(cleanup);

async function begun() {
  const drawn = render(<StartFrom binding="b" name="watch" onStarted={onStarted} onClose={vi.fn()} />);
  await userEvent.click(screen.getByRole("radio", { name: "From now" }));
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  return drawn;
}

test("unknown inputs are checked first, then the run starts as displayed", async () => {
  known.start.mockRejectedValueOnce(refusal("inputs_not_asked", "cars")).mockResolvedValueOnce({ id: "r" });
  known.ask.mockResolvedValue(undefined);
  await begun();
  expect(known.ask.mock.calls).toEqual([[["cars"]]]);
  expect(known.start.mock.calls).toEqual([
    [{ binding: "b", shown: "m", begin: "now" }],
    [{ binding: "b", shown: "m", begin: "now" }],
  ]);
  expect(onStarted).toHaveBeenCalledWith({ id: "r" });
});

test("a response after closing the dialog starts nothing, and the choice is locked while waiting", async () => {
  let answer = () => {};
  known.start.mockRejectedValue(refusal("inputs_not_asked", "cars"));
  known.ask.mockReturnValue(
    new Promise<void>((resolve) => {
      answer = resolve;
    }),
  );
  const { unmount } = await begun();
  expect(await screen.findByText("Not started yet: its inputs are checked first, above.")).not.toBeNull();
  expect(screen.getByRole("group", { name: "Start position" }).hasAttribute("disabled")).toBe(true);
  await userEvent.click(screen.getByRole("button", { name: "Starting…" }));
  unmount();
  answer();
  await new Promise((resolve) => setTimeout(resolve));
  expect(known.start).toHaveBeenCalledTimes(1);
});

async function startedWhile(happens: (drawn: ReturnType<typeof render>) => unknown) {
  let answer = (_: unknown) => {};
  known.start.mockReturnValue(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  await happens(await begun());
  answer({ id: "r" });
  await new Promise((resolve) => setTimeout(resolve));
}

test("a started run opens after the dialog unmounts, but not after the user closed it", async () => {
  await startedWhile(({ unmount }) => unmount());
  expect(onStarted.mock.calls).toEqual([[{ id: "r" }]]);
  await startedWhile(() => userEvent.click(screen.getByRole("button", { name: "Not now" })));
  expect(onStarted).toHaveBeenCalledOnce();
});

test("a changed state is displayed again before the start", async () => {
  known.start.mockRejectedValue(refusal("changed_meanwhile"));
  await begun();
  expect(known.next).toHaveBeenCalled();
  expect(onStarted).not.toHaveBeenCalled();
});

test("positions wait for every input, and a pending check names its stream", async () => {
  known.inputs = [
    { input: "c", stream: "cars", shown: undefined, isAsked: true, isPending: true, error: null, retry: vi.fn() },
    { input: "m", stream: "m", shown: undefined, isAsked: false, isPending: true, error: null, retry: vi.fn() },
  ];
  render(<StartFrom binding="b" name="watch" onStarted={onStarted} onClose={vi.fn()} />);
  expect((await screen.findByText(/Checking the contents of the stream/)).textContent).toContain("cars");
  expect(screen.getByText("It is checked after the previous input.")).not.toBeNull();
  await userEvent.click(screen.getByRole("radio", { name: "From positions" }));
  const start = screen.getByRole("button", { name: "Start" });
  expect(start.getAttribute("aria-disabled")).toBe("true");
  await userEvent.click(start);
  expect(known.start).not.toHaveBeenCalled();
});

test("a start that needs rows which an input no longer has is not possible", async () => {
  const again = {
    begin: "oldest_open",
    sentence: "It is read, and nothing is lost.",
    rows_again: 5,
    rows_at_most: false,
  };
  known.shown = { goes_on: false, options: [{ ...again, incomplete: false }] };
  known.inputs = [
    {
      input: "cars",
      stream: "cars",
      shown: { inputs: [{ input: "cars", lanes: [], again: { standing: "gone", sentence: "Gone." } }] },
      isAsked: false,
      error: null,
    },
  ];
  render(<StartFrom binding="b" name="watch" onStarted={onStarted} onClose={vi.fn()} />);
  const dialog = screen.getByRole("dialog");
  expect(
    screen.getByRole("radio", { name: "Read the rows of open windows again: not possible, the rows no longer exist" }),
  ).toBeTruthy();
  expect(dialog.textContent).toContain("cars: Gone.");
  expect(dialog.textContent).not.toContain("no rows are lost");
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  expect(known.start).not.toHaveBeenCalled();
});

test("each option that repeats results names the outputs that receive them", async () => {
  known.shown = { delivers_to: ["out to CSV file"] };
  render(<StartFrom binding="b" name="watch" onStarted={onStarted} onClose={vi.fn()} />);
  for (const [way, again] of [
    ["From now", false],
    ["From a time", true],
    ["From positions", true],
    ["From the beginning", true],
  ] as const) {
    await userEvent.click(screen.getByRole("radio", { name: way }));
    expect(document.body.textContent?.includes("out to CSV file")).toBe(again);
  }
});
