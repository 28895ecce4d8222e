// @vitest-environment happy-dom
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiFailure } from "../../lib/api/client";
import { NextStartWords } from "./NextStartWords";
import { StartButton } from "./StartButton";

const known = vi.hoisted(() => ({
  next: {} as Record<string, unknown>,
  asked: [] as unknown[],
  error: null as unknown,
  inputs: [] as unknown[],
  mutate: vi.fn(),
  reset: vi.fn(),
}));

vi.mock("../../lib/account/session", () => ({ useMe: () => ({ data: { id: "p1" } }), useSlug: () => "acme" }));
vi.mock("../../lib/resources/runControl", () => ({
  isOutdated: () => false,
  useTimeline: () => ({ inputs: known.inputs }),
  useStart: () => ({ mutateAsync: known.mutate, isPending: false, error: known.error, reset: known.reset }),
  useNextStart: (...asked: unknown[]) => {
    known.asked = asked;
    return {
      data: { nodes: [], not_carried: null, mark: "m", inputs_ended: false, delivers_to: [], ...known.next },
      isPending: false,
      isError: false,
      isFetching: false,
      refetch: () =>
        Promise.resolve({
          data: { nodes: [], not_carried: null, mark: "m", inputs_ended: false, delivers_to: [], ...known.next },
        }),
    };
  },
}));

const OPTIONS = [
  {
    begin: "oldest_open",
    sentence: "It reads again.",
    rows_again: 1,
    rows_at_most: false,
    incomplete: false,
    whole_from: null,
  },
  {
    begin: "old_positions",
    sentence: "It leaves behind.",
    rows_again: 0,
    rows_at_most: false,
    incomplete: true,
    whole_from: 5,
  },
];

beforeEach(() => {
  known.error = null;
  known.inputs = [];
  known.mutate.mockReset().mockResolvedValue({ id: "r" });
});
afterEach(cleanup);

function renderStart(next: Record<string, unknown>) {
  known.next = next;
  render(<StartButton binding="b" name="watch" words="Start" label="Start watch" reason={null} onStarted={vi.fn()} />);
  return userEvent.click(screen.getByRole("button", { name: "Start watch" }));
}

test("a start that discards no state asks nothing", async () => {
  await renderStart({ goes_on: true, reason: null, sentence: "It resumes.", options: [OPTIONS[1]] });
  expect(known.mutate.mock.calls[0]?.[0]).toEqual({ binding: "b", shown: "m" });
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("if the state does not fit, each option explains itself, and reading again is the default", async () => {
  await renderStart({ goes_on: false, reason: null, sentence: "It reads again.", options: OPTIONS });
  expect(known.mutate).not.toHaveBeenCalled();
  const again = screen.getByRole("radio", { name: "Read the rows of open windows again: 1 row, no rows are lost" });
  expect((again as HTMLInputElement).checked).toBe(true);
  expect(screen.getByRole("dialog").textContent).toContain("It leaves behind.");
  await userEvent.click(
    screen.getByRole("radio", { name: /^Continue reading where it stopped, without its state: the first results/ }),
  );
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  expect(known.mutate.mock.calls[0]?.[0]).toEqual({ binding: "b", shown: "m", begin: "old_positions" });
});

const CARRIED = {
  begin: "carried_over",
  sentence: "New columns began empty.",
  rows_again: 0,
  incomplete: true,
  whole_from: 5,
};
const WIDENED = [{ node: "w", kind: "window", standing: "widened", added: ["top"], removed: [], changed: [] }];

test("the state of widened windows is carried over if chosen, otherwise read again", async () => {
  const options = [OPTIONS[0], CARRIED, OPTIONS[1]];
  await renderStart({ goes_on: false, reason: null, sentence: "It reads again.", options, nodes: WIDENED });
  expect(screen.getByRole("dialog").textContent).toContain("Open windows can be carried over");
  expect(
    (screen.getByRole("radio", { name: /^Read the rows of open windows again/ }) as HTMLInputElement).checked,
  ).toBe(true);
  const carried = "Carry over open windows: no rows are read again, and new columns are incomplete at first";
  await userEvent.click(screen.getByRole("radio", { name: carried }));
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  expect(known.mutate.mock.calls[0]?.[0]).toEqual({ binding: "b", shown: "m", begin: "carried_over" });
});

test("a start explains why state can't be carried over", async () => {
  const why = { nodes: WIDENED, not_carried: "The node w keeps rows." };
  await renderStart({ goes_on: false, reason: null, sentence: "It reads again.", options: OPTIONS, ...why });
  expect(screen.getByRole("dialog").textContent).toContain("The node w keeps rows.");
  expect(screen.queryByRole("radio", { name: /^Carry over/ })).toBeNull();
});

test("a start opens its run even if the button is gone when the response arrives", async () => {
  known.next = { goes_on: true, reason: null, sentence: "It resumes.", options: [] };
  let answer = (_: { id: string }) => {};
  known.mutate.mockReturnValue(new Promise<{ id: string }>((resolve) => (answer = resolve)));
  const onStarted = vi.fn();
  const button = { binding: "b", name: "watch", words: "Start", label: "Start watch", reason: null, onStarted };
  const { unmount } = render(<StartButton {...button} />);
  await userEvent.click(screen.getByRole("button", { name: "Start watch" }));
  unmount();
  answer({ id: "r" });
  await vi.waitFor(() => expect(onStarted).toHaveBeenCalledWith({ id: "r" }));
});

const OPEN = { open_from: 60_000_000, open_until: 240_000_000, open_windows: 3 };

test("a start shows the open state before the choice", async () => {
  await renderStart({ goes_on: false, reason: null, sentence: "It reads again.", options: OPTIONS, ...OPEN });
  expect(screen.getByRole("dialog").textContent).toContain(
    "Open: at most 3 windows per group, for the time from 1970-01-01 00:01:00Z to 1970-01-01 00:04:00Z.",
  );
});

test("moving to another version explains the next start and its options", () => {
  known.next = {
    goes_on: false,
    reason: null,
    sentence: "It reads again.",
    options: OPTIONS,
    ...OPEN,
    open_windows: null,
    nodes: [{ node: "w", kind: "window", standing: "widened", added: ["top"], removed: [], changed: [] }],
  };
  render(<NextStartWords binding="b" version={{ id: "v3", number: 3 }} />);
  expect(screen.getByRole("row", { name: /w window/ }).textContent).toContain("New: top.");
  expect(known.asked).toEqual(["b", true, "v3"]);
  expect(document.body.textContent).toContain("The next start, with version 3: It reads again.");
  expect(document.body.textContent).toContain("Open: state for the time from 1970-01-01 00:01:00Z to");
  expect(document.body.textContent).toContain("Start asks you to choose");
  expect(document.body.textContent).toContain(
    "Continue reading where it stopped, without its state: the first results are incomplete",
  );
});

test("the reason for discarding state appears once, above the options", async () => {
  await renderStart({ goes_on: false, reason: "It does not fit.", sentence: "It reads again.", options: OPTIONS });
  const words = screen.getByRole("dialog").textContent ?? "";
  expect(words.split("It does not fit.")).toHaveLength(2);
  expect(words.indexOf("It does not fit.")).toBeLessThan(words.indexOf("Start position"));
});

/** Render a start that the server refused with this error. */
function refused(error: unknown) {
  known.error = error;
  const button = (
    <StartButton binding="b" name="watch" words="Start" label="Start watch" reason={null} onStarted={vi.fn()} />
  );
  render(
    <MemoryRouter initialEntries={["/t/acme"]}>
      <Routes>
        <Route path="/t/:slug" element={button} />
      </Routes>
    </MemoryRouter>,
  );
  return screen.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")]);
}

test("a refused start links to the pages where each error can be fixed", async () => {
  const mend = [
    { kind: "stream", id: "s1", name: "cars" },
    { kind: "binding", id: "b", name: "watch" },
    { kind: "query", id: "q1", name: "speeding" },
  ] as const;
  const fields = { code: "bad_adapter", severity: "error", node: "cars", field: null, remedy: "Change it." } as const;
  const fault = { ...fields, message: "There is no file.", mend: [...mend] };
  const links = refused(new ApiFailure(422, { code: "faulty", message: "1 fault found.", faults: [fault] }));
  expect(links).toEqual([
    ["cars", "/t/acme/streams/s1"],
    ["watch", "/t/acme/bindings/b"],
    ["speeding", "/t/acme/queries/q1"],
  ]);
  const dialog = screen.getByRole("dialog", { name: "watch was not started" });
  await userEvent.click(within(dialog).getByRole("button", { name: "Close" }));
  expect(known.reset).toHaveBeenCalledOnce();
  expect(screen.getByRole("alert").textContent).toContain(
    "Edit the stream cars, the binding watch or the query speeding.",
  );
});

test("a binding that is too expensive to check links to its page", () => {
  const links = refused(new ApiFailure(422, { code: "too_much_work", message: "Too much.", faults: [] }));
  expect(links).toEqual([["watch", "/t/acme/bindings/b"]]);
});

test("the stop dialog promises no more than the stop does", () => {
  known.next = { goes_on: false, reason: "It was flushed.", sentence: "Open windows are discarded.", options: [] };
  render(<NextStartWords binding="b" />);
  expect(document.body.textContent).toContain("as the binding is now: It was flushed. Open windows are discarded.");
  expect(document.body.textContent).not.toContain("resumes where this run stopped");
});

test("missing rows of an input can't be read again, and unknown ones are reported", async () => {
  const says = (input: string, standing: string, sentence: string) => ({
    input,
    stream: input,
    shown: { inputs: [{ input, again: { standing, sentence } }] },
    isAsked: false,
    isPending: false,
    error: null,
  });
  known.inputs = [says("cars", "gone", "It no longer has them."), says("roads", "unknown", "It is away.")];
  await renderStart({ goes_on: false, reason: null, sentence: "It reads again.", options: OPTIONS });
  const dialog = screen.getByRole("dialog");
  expect(dialog.textContent).toContain("cars: It no longer has them.");
  expect(dialog.textContent).toContain("roads: It is away.");
  expect(
    screen.getByRole("radio", { name: "Read the rows of open windows again: not possible, the rows no longer exist" }),
  ).toBeTruthy();
  expect(dialog.textContent).not.toContain("no rows are lost");
  await userEvent.click(within(dialog).getByRole("button", { name: "Start" }));
  expect(known.mutate).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("radio", { name: /^Continue reading where it stopped/ }));
  await userEvent.click(within(dialog).getByRole("button", { name: "Start" }));
  expect(known.mutate.mock.calls[0]?.[0]).toEqual({ binding: "b", shown: "m", begin: "old_positions" });
});

test("after the inputs' end only new rows are read, unless a full restart is chosen", async () => {
  const everything = { ...OPTIONS[1], begin: "beginning", sentence: "All again, out to CSV file.", incomplete: false };
  const options = [{ ...OPTIONS[0], rows_again: 0, sentence: "Only new rows." }, everything];
  await renderStart({ goes_on: false, reason: "Read to the end.", sentence: "", options, inputs_ended: true });
  expect(known.mutate).not.toHaveBeenCalled();
  const dialog = screen.getByRole("dialog");
  expect(dialog.textContent).toContain("All again, out to CSV file.");
  expect((screen.getByRole("radio", { name: /^Only new rows/ }) as HTMLInputElement).checked).toBe(true);
  await userEvent.click(within(dialog).getByRole("button", { name: "Start" }));
  expect(known.mutate.mock.calls[0]?.[0]).toEqual({ binding: "b", shown: "m", begin: "oldest_open" });
});
