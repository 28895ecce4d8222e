// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import type { AnnotationPage, AnnotationResponse } from "../../../model/api";
import { NoteButton } from "./NoteButton";
import { NoteMarks, NotesScope } from "./NoteMarks";
import { NotesPanel } from "./NotesPanel";

const server = vi.hoisted(() => ({
  reason: null as string | null,
  create: vi.fn(async () => undefined),
  remove: vi.fn(async () => undefined),
}));
vi.mock("../../../lib/account/session", () => ({ useSlug: () => "acme", useReason: () => server.reason }));
vi.mock("./requests", () => ({ useNoteChanges: () => server }));

afterEach(() => {
  cleanup();
  vi.clearAllMocks();
  server.reason = null;
});

const MINUTE = 60_000_000;
const NOTE: AnnotationResponse = {
  id: "n",
  binding: null,
  begin: MINUTE,
  end: 3 * MINUTE,
  text: "release 7",
  by: "ci",
  created_at: "2026-11-26T10:00:00Z",
};

function listed(data: AnnotationPage) {
  return { data, error: null, refetch: vi.fn() };
}

function drawn(children: ReactNode): void {
  render(<QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>);
}

test("a chart marks the notes in its range, with a line over theirs", () => {
  const notes = [NOTE, { ...NOTE, id: "o", begin: 9 * MINUTE, end: null, text: "later" }];
  drawn(
    <NotesScope notes={notes}>
      <svg role="img" aria-label="chart">
        <NoteMarks span={{ begin: 0, end: 4 * MINUTE }} x={(at) => at / MINUTE} top={10} />
      </svg>
    </NotesScope>,
  );
  const titles = [...document.querySelectorAll("title")].map(({ textContent }) => textContent);
  expect(titles).toEqual(["1970-01-01 00:01:00 UTC: release 7"]);
  expect(document.querySelector(".note-range")?.getAttribute("d")).toBe("M1 9H3");
});

test("the key n opens a note at the given time, about this query", async () => {
  drawn(<NoteButton binding="b" at={() => MINUTE} />);
  await userEvent.keyboard("n");
  await userEvent.type(screen.getByLabelText("Note"), "release 7");
  await userEvent.click(screen.getByRole("button", { name: "Save note" }));
  expect(server.create).toHaveBeenCalledWith({ binding: "b", begin: MINUTE, end: null, text: "release 7" });
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a note about all queries has no binding", async () => {
  drawn(<NoteButton binding="b" at={() => MINUTE} />);
  await userEvent.click(screen.getByRole("button", { name: "Note…" }));
  await userEvent.type(screen.getByLabelText("Note"), "deployment");
  await userEvent.selectOptions(screen.getByLabelText("About"), "all");
  await userEvent.click(screen.getByRole("button", { name: "Save note" }));
  expect(server.create).toHaveBeenCalledWith({ binding: null, begin: MINUTE, end: null, text: "deployment" });
});

test("the list says who wrote a note, and deletes it", async () => {
  drawn(<NotesPanel notes={listed({ annotations: [NOTE], next: "1.n" })} />);
  expect(screen.getByRole("row", { name: /00:01:00Z.*00:03:00Z.*release 7.*all queries.*ci/ })).toBeDefined();
  expect(screen.getByText(/Only the newest 200 notes/)).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Delete the note “release 7”" }));
  expect(server.remove).toHaveBeenCalledWith("n");
});

test("a viewer reads notes and writes none", async () => {
  server.reason = "Your role viewer does not allow it.";
  drawn(
    <>
      <NoteButton binding="b" at={() => MINUTE} />
      <NotesPanel notes={listed({ annotations: [NOTE], next: null })} />
    </>,
  );
  await userEvent.keyboard("n");
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(screen.getByRole("button", { name: "Note…" }).getAttribute("aria-disabled")).toBe("true");
  expect(screen.queryByRole("button", { name: /Delete/ })).toBeNull();
});
