// @vitest-environment happy-dom
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test } from "vitest";
import type { WhatIfResponse, WhatIfRows } from "../../../../model/api";
import { WhatIfCharts } from "./WhatIfChart";

afterEach(cleanup);

const SECOND = 1_000_000;

const ROWS: WhatIfRows = {
  delay: 5 * SECOND,
  received: 10_000,
  lost: 230,
  dropped_late: 220,
  stored: 220,
  fixed: 0,
  undecided: 0,
  since: null,
  may_have_ctis: false,
  measured: 10_000,
  delays: [
    { delay: 5 * SECOND, lost: 230, changed: 4 },
    { delay: 10 * SECOND, lost: 44, changed: 1 },
    { delay: 12_345_601, lost: 10, changed: 0 },
  ],
  goals: [
    { share: 99.5, delay: 10 * SECOND },
    { share: 99.9, delay: 12_345_601 },
  ],
  shorter: null,
};

const FOUND: WhatIfResponse = {
  now: 0,
  begin: 0,
  end: 1,
  completeness: 99.9,
  newest_only: false,
  inputs: [{ name: "cars", reason: null, rows: ROWS }],
};

function drawn(found: WhatIfResponse): void {
  const element = <WhatIfCharts name="toll" binding="b" found={found} />;
  const router = createMemoryRouter([{ path: "/t/:slug", element }], { initialEntries: ["/t/acme"] });
  render(<RouterProvider router={router} />);
}

test("a delay that reaches a goal is chosen with its button, and its effect is a sentence", async () => {
  drawn(FOUND);
  expect(screen.getByText(/With today's delay of 5 s, 97.7 % of 10,000 rows are in results/)).toBeTruthy();
  const goal = screen.getByRole("row", { name: /99.9 %, the objective/ });
  await userEvent.click(within(goal).getByRole("button", { name: "Choose 12.35 s" }));
  expect(screen.getByText(/A delay of 12.35 s keeps 220 of the 220 rows dropped late/)).toBeTruthy();
  expect(screen.getByRole("slider", { name: "Delay" }).getAttribute("aria-valuetext")).toContain("12.35 s");
  expect(screen.getByRole("link", { name: "Edit the delay" }).getAttribute("href")).toBe("/t/acme/bindings/b");
});

test("a goal that no delay reaches says so", () => {
  const goals = [{ share: 99.5, delay: null }];
  drawn({ ...FOUND, inputs: [{ name: "cars", reason: null, rows: { ...ROWS, goals } }] });
  expect(screen.getByRole("row", { name: "99.5 % no delay reaches it" })).toBeTruthy();
});

test("an input without a delay of its own says why", () => {
  drawn({ ...FOUND, inputs: [{ name: "cars", reason: "This input generates no CTIs.", rows: null }] });
  expect(screen.getByText("This input generates no CTIs.")).toBeTruthy();
});
