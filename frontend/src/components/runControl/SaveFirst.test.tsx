// @vitest-environment happy-dom
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DraftGuard } from "../forms/DraftGuard";
import { StartButton } from "./StartButton";

const known = vi.hoisted(() => ({ mutate: vi.fn(), kept: [] as string[] }));

vi.mock("../../lib/drafts/drafts", async (original) => ({
  ...(await original()),
  useDraftNames: () => () => known.kept,
}));
vi.mock("../../lib/resources/runControl", () => ({
  isOutdated: () => false,
  useTimeline: () => ({ inputs: [] }),
  useStart: () => ({ mutateAsync: known.mutate, isPending: false, error: null, reset: vi.fn() }),
  useNextStart: () => {
    const data = { goes_on: true, reason: null, sentence: "It resumes.", options: [], nodes: [], mark: "m" };
    return { data, isFetching: false, refetch: () => Promise.resolve({ data }) };
  },
}));

beforeEach(() => {
  known.kept = [];
  known.mutate.mockReset().mockResolvedValue({ id: "r" });
});
afterEach(cleanup);

/** A page with two forms; those in `unsaved` are changed. Saving one renders the page again; `order` records the calls. */
function Page({ unsaved, order, refuses }: { unsaved: string[]; order: string[]; refuses?: string }) {
  const [open, setOpen] = useState(unsaved);
  const guard = (what: string) => {
    const save = async () => {
      order.push(what);
      if (what === refuses) return false;
      setOpen((before) => before.filter((each) => each !== what));
      await Promise.resolve();
      return true;
    };
    const isDirty = () => open.includes(what) && !(order.includes(what) && what !== refuses);
    const draft = { dirty: isDirty, discard: vi.fn(), done: vi.fn(), restored: null };
    return <DraftGuard key={`${what} ${open.length}`} draft={draft} what={what} save={save} />;
  };
  return (
    <>
      <StartButton binding="b" name="watch" words="Start" label="Start watch" reason={null} onStarted={vi.fn()} />
      {guard("settings")}
      {guard("outputs")}
    </>
  );
}

async function started(unsaved: string[], refuses?: string) {
  const order: string[] = [];
  const element = <Page unsaved={unsaved} order={order} {...(refuses === undefined ? {} : { refuses })} />;
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element }])} />);
  await userEvent.click(screen.getByRole("button", { name: "Start watch" }));
  return order;
}

test("without unsaved changes a start asks nothing", async () => {
  await started([]);
  await waitFor(() => expect(known.mutate).toHaveBeenCalledOnce());
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a start with unsaved forms names them, saves all of them, and only then starts", async () => {
  const order = await started(["settings", "outputs"]);
  expect(known.mutate).not.toHaveBeenCalled();
  expect(screen.getByRole("dialog").textContent).toContain("settings, outputs");
  await userEvent.click(screen.getByRole("button", { name: "Save and start" }));
  await waitFor(() => expect(known.mutate).toHaveBeenCalledOnce());
  expect(order).toEqual(["outputs", "settings"]);
});

test("a failed save prevents the start", async () => {
  const order = await started(["settings"], "settings");
  await userEvent.click(screen.getByRole("button", { name: "Save and start" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(order).toEqual(["settings"]);
  expect(known.mutate).not.toHaveBeenCalled();
});

test("the user can start the saved version or cancel", async () => {
  const order = await started(["settings"]);
  await userEvent.click(screen.getByRole("button", { name: "Not now" }));
  expect(known.mutate).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Start watch" }));
  await userEvent.click(screen.getByRole("button", { name: "Start without changes" }));
  await waitFor(() => expect(known.mutate).toHaveBeenCalledOnce());
  expect(order).toEqual([]);
});

test("a draft on another page is named, although it can't be saved from here", async () => {
  known.kept = ["outputs"];
  await started([]);
  expect(known.mutate).not.toHaveBeenCalled();
  expect(screen.getByRole("dialog").textContent).toContain("outputs");
  expect(screen.queryByRole("button", { name: "Save and start" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Start without changes" }));
  await waitFor(() => expect(known.mutate).toHaveBeenCalledOnce());
});
