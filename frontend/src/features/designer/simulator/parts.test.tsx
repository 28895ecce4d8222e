// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test } from "vitest";
import type { AdvanceTimeSettings } from "../../../model/api";
import { insertRows, NO_SAMPLE } from "../../../model/simulation/sample";
import { PositionContext, positionStore } from "./position";
import { SettingsStrip } from "./SettingsStrip";
import { beginSample, editSample, endSample, redoSample, undoSample, useSampleHistory } from "./sampleStore";
import { Transport } from "./Transport";

afterEach(cleanup);

test("steps go through the rows to the end of the sample and not beyond, and say where they are", async () => {
  const store = positionStore(3);
  const user = userEvent.setup();
  render(
    <PositionContext value={store}>
      <Transport rows={2} readOnly />
    </PositionContext>,
  );
  expect(screen.getByText("All 2 rows arrived, and the sample has ended.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "start" }));
  expect(screen.getByText("0 of 2 rows arrived.")).toBeTruthy();
  for (let step = 0; step < 5; step += 1) await user.click(screen.getByRole("button", { name: "step" }));
  expect(store.get()).toBe(3);
  await user.click(screen.getByRole("button", { name: "step back" }));
  expect(screen.getByText("2 of 2 rows arrived.")).toBeTruthy();
});

test("who stands at the end stays there when rows come, and who stands before it stays where they are", () => {
  const store = positionStore(4);
  store.resize(9);
  expect(store.get()).toBe(9);
  store.set(2);
  store.resize(12);
  expect(store.get()).toBe(2);
  store.resize(1);
  expect(store.get()).toBe(1);
});

function Strip({ begun, heard }: { begun: AdvanceTimeSettings; heard: (settings: AdvanceTimeSettings) => void }) {
  const [settings, setSettings] = useState(begun);
  const change = (next: AdvanceTimeSettings) => {
    setSettings(next);
    heard(next);
  };
  const rest = {
    others: ["prices"],
    readOnly: false,
    applying: false,
    onApply: () => {},
    onStore: () => {},
    onRevert: () => {},
  };
  return <SettingsStrip input="cars" settings={settings} onChange={change} tried={settings !== begun} {...rest} />;
}

test("a setting counts as soon as it can be read; before that the reason stands beside it", async () => {
  const said: AdvanceTimeSettings[] = [];
  const user = userEvent.setup();
  render(<Strip begun={{ generate: { every: 1, delay: "4s" }, late: "drop" }} heard={(next) => said.push(next)} />);
  const delay = screen.getByLabelText(/^delay/);
  await user.clear(delay);
  await user.type(delay, "1");
  expect(screen.getByText(/Write a duration/)).toBeTruthy();
  expect(said).toEqual([]);
  await user.type(delay, "2s");
  expect(said.at(-1)?.generate?.delay).toBe("12s");
  expect(screen.getByText("Tried, not in the query.")).toBeTruthy();
  expect(screen.getByText("Apply changes the draft; saving it, all of it, makes a new version.")).toBeTruthy();
});

function Rows() {
  const history = useSampleHistory();
  return <p>{history === null ? "no sample" : `${history.now.rows.length} given`}</p>;
}

test("one sample is open for the page; its edits are undone and made again by whoever holds it", async () => {
  const { rerender } = render(<Rows />);
  const shown = () => {
    rerender(<Rows />);
    return screen.getByText(/given|no sample/).textContent;
  };
  expect(shown()).toBe("no sample");
  beginSample(NO_SAMPLE);
  editSample((sample) => insertRows(sample, 0, [{ stream: "s", cti: 1 }]));
  expect(shown()).toBe("1 given");
  undoSample();
  expect(shown()).toBe("0 given");
  redoSample();
  expect(shown()).toBe("1 given");
  endSample();
  expect(shown()).toBe("no sample");
});
