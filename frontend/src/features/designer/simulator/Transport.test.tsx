// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { PositionContext, positionStore } from "./position";
import { Transport } from "./Transport";

afterEach(cleanup);

test("steps move through the rows up to the end of the sample, and the position is displayed", async () => {
  const store = positionStore(3);
  const user = userEvent.setup();
  render(
    <PositionContext value={store}>
      <Transport rows={2} readOnly />
    </PositionContext>,
  );
  expect(screen.getByText("All 2 rows arrived; end of the sample.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "start" }));
  expect(screen.getByText("0 of 2 rows arrived.")).toBeTruthy();
  for (let step = 0; step < 5; step += 1) await user.click(screen.getByRole("button", { name: "step" }));
  expect(store.get()).toBe(3);
  await user.click(screen.getByRole("button", { name: "step back" }));
  expect(screen.getByText("2 of 2 rows arrived.")).toBeTruthy();
});

test("the position stays at the end when rows are added, and stays put elsewhere", () => {
  const store = positionStore(4);
  store.resize(9);
  expect(store.get()).toBe(9);
  store.set(2);
  store.resize(12);
  expect(store.get()).toBe(2);
  store.resize(1);
  expect(store.get()).toBe(1);
});
