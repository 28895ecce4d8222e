// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import type { BindingResponse } from "../../model/api";
import { OutputsPanel } from "./OutputsPanel";
import { useChangeBinding } from "./requests";

const put = vi.hoisted(() => vi.fn());
vi.mock("../../lib/account/session", () => ({
  useMe: () => ({ data: { id: "p1" } }),
  useSlug: () => "acme",
  useReason: () => null,
}));
vi.mock("../../lib/api/client", async (original) => ({ ...(await original()), api: { PUT: put } }));
vi.mock("../../lib/resources/adapterKinds", () => ({
  useOutputKinds: () => ({
    data: [{ kind: "csv", title: "CSV file", help: "", options_schema: { type: "object", properties: {} } }],
    error: null,
  }),
}));
vi.mock("../../lib/resources/bindings", () => ({
  useVersionsOf: () => ({ data: [{ id: "v1", graph: { nodes: [{ kind: "output", id: "out" }] } }], error: null }),
}));
vi.mock("../../components/deliveries/DeliveryList", () => ({ DeliveryList: () => null }));

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.resetAllMocks();
});

const KEY = ["acme", "runs", "bindings", "b1"];
const EMPTY = {
  id: "b1",
  name: "watch",
  query: "q1",
  query_version: "v1",
  dedicated: false,
  freshness: "1s",
  inputs: [],
  outputs: [],
  revision: "",
} as unknown as BindingResponse;
const OUTPUT = { identity: "o1", node: "out", adapter: { kind: "csv", options: {} }, revision: "1" };

/** A fake server with one binding, and a page that reloads it after each change. */
function renderPage(Part: (props: { binding: BindingResponse }) => React.ReactNode, revision: string) {
  let stored = { ...EMPTY, revision };
  put.mockImplementation(async (_: string, { body }: { body: { outputs?: unknown[]; upon?: string } }) => {
    if (body.upon !== stored.revision)
      return { error: { code: "conflict", message: "changed", faults: [] }, response: { ok: false, status: 409 } };
    const outputs = body.outputs === undefined ? stored.outputs : [OUTPUT];
    stored = { ...stored, outputs, revision: `${stored.revision}'` } as unknown as BindingResponse;
    return { data: stored, response: { ok: true } };
  });
  let rest = Promise.resolve(0);
  let answer = () => {};
  function Page() {
    // Another object of the organisation that is reloaded after a change, with a delayed response.
    useQuery({ queryKey: ["acme", "streams"], queryFn: () => rest });
    const binding = useQuery({ queryKey: KEY, queryFn: async () => stored });
    return binding.data === undefined ? null : <Part binding={binding.data} />;
  }
  const element = (
    <QueryClientProvider client={new QueryClient()}>
      <Page />
    </QueryClientProvider>
  );
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element }])} />);
  return {
    hold: () => {
      rest = new Promise((resolve) => {
        answer = () => resolve(1);
      });
    },
    answer: () => act(async () => answer()),
  };
}

async function saveOutputs() {
  await userEvent.click(await screen.findByRole("button", { name: "Add output" }));
  await userEvent.click(screen.getByRole("button", { name: "Save outputs" }));
  await waitFor(() => expect(screen.queryByText("CSV file, new")).toBeNull());
}

test("saved outputs are not reported as unsaved", async () => {
  const server = renderPage(({ binding }) => <OutputsPanel binding={binding} onSaved={() => undefined} />, "first");
  server.hold();
  await saveOutputs();
  await server.answer();
  expect(put).toHaveBeenCalledOnce();
  expect(screen.queryByText(/Restored your unsaved changes/)).toBeNull();
  expect(localStorage.length).toBe(0);
});

const SETTINGS = {
  name: "watch_2",
  query_version: "v1",
  dedicated: false,
  freshness: "1s" as const,
  inputs: {},
  upon: "A",
};

function Both({ binding }: { binding: BindingResponse }) {
  const saving = useChangeBinding(binding.id);
  const rename = () => saving.mutate({ body: SETTINGS, onStored: () => undefined });
  return (
    <>
      <OutputsPanel binding={binding} onSaved={() => undefined} />
      <button type="button" onClick={rename}>
        Rename
      </button>
    </>
  );
}

test("the page's other form saves on top of this one's revision, without a conflict", async () => {
  renderPage(Both, "A");
  await saveOutputs();
  await userEvent.click(screen.getByRole("button", { name: "Rename" }));
  await waitFor(() => expect(put).toHaveBeenCalledTimes(2));
  expect(put.mock.calls[1]?.[1].body.upon).toBe("A'");
});
