// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import type { RunResponse } from "../../../model/api";
import { ResultExport } from "./ResultExport";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const RUN = { id: "r1", binding: "b1" } as unknown as RunResponse;
const GRAPH = { nodes: ["first", "second"].map((id) => ({ kind: "output", id })) };

/** Answer requests for a file with `file`, and those for the definition with a query with two outputs. */
function server(file: () => Response | Promise<Response>): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (input: Request | string) => {
    const address = typeof input === "string" ? input : input.url;
    if (!address.includes("/file/")) return Response.json({ graph: GRAPH, inputs: [] });
    asked.push(address);
    return file();
  });
  return asked;
}

function renderExport() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={["/t/acme/runs/r1"]}>
        <Routes>
          <Route path="/t/:slug/*" element={<ResultExport run={RUN} scope="all" />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return userEvent.setup();
}

async function opened() {
  const user = renderExport();
  await user.click(screen.getByRole("button", { name: "Download…" }));
  await screen.findByLabelText("Output");
  return user;
}

test("the choices are those of the request, and the file is saved under the server's name", async () => {
  const headers = {
    "Punctual-Bytes": "2",
    "Punctual-Rows": "1",
    "Content-Disposition": 'attachment; filename="results-r1-second.parquet"',
  };
  const asked = server(() => new Response("ok", { headers }));
  const saved: string[] = [];
  URL.createObjectURL = () => "blob:1";
  URL.revokeObjectURL = () => undefined;
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  const user = await opened();
  await user.selectOptions(screen.getByLabelText("Format"), "parquet");
  await user.selectOptions(screen.getByLabelText("Output"), "second");
  await user.type(screen.getByLabelText("From (start of the rows)"), "2026-11-26T10:00Z");
  await user.click(screen.getByRole("button", { name: "All changes" }));
  await user.click(screen.getByRole("button", { name: "Download" }));
  expect(await screen.findByText(/Downloaded 1 row, 2 B\./)).toBeDefined();
  expect(saved).toEqual(["results-r1-second.parquet"]);
  expect(asked).toEqual([
    "/api/t/acme/runs/r1/results/file/?format=parquet&output=second&from=2026-11-26T10%3A00Z&revisions=all&runs=all",
  ]);
});

test("an error of the server is shown, and the choices stay", async () => {
  const fault = {
    code: "bad_shape",
    severity: "error",
    node: null,
    field: "to",
    message: "`to` isn't a time.",
    remedy: "Write it.",
  };
  server(() => Response.json({ code: "faulty", message: "1 error found.", faults: [fault] }, { status: 422 }));
  const user = await opened();
  await user.type(screen.getByLabelText("To (before this time)"), "soon");
  await user.click(screen.getByRole("button", { name: "Download" }));
  expect((await screen.findByRole("alert")).textContent).toContain("isn't a time.");
  expect((screen.getByLabelText("To (before this time)") as HTMLInputElement).value).toBe("soon");
});

test("a download can be cancelled while the file is prepared", async () => {
  server(() => new Promise<Response>(() => undefined));
  const user = await opened();
  vi.stubGlobal(
    "fetch",
    (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  );
  await user.click(screen.getByRole("button", { name: "Download" }));
  expect(await screen.findByText(/Preparing the file…/)).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Cancel the download" }));
  expect(await screen.findByRole("button", { name: "Download" })).toBeDefined();
  expect(screen.queryByRole("alert")).toBeNull();
});
