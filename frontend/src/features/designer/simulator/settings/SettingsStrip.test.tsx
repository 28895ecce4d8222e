// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test } from "vitest";
import type { AdvanceTimeSettings } from "../../../../model/api";
import { SettingsStrip } from "./SettingsStrip";

afterEach(cleanup);

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

test("a setting applies as soon as it parses; until then the reason is shown", async () => {
  const received: AdvanceTimeSettings[] = [];
  const user = userEvent.setup();
  render(<Strip begun={{ generate: { every: 1, delay: "4s" }, late: "drop" }} heard={(next) => received.push(next)} />);
  const delay = screen.getByLabelText(/^delay/);
  await user.clear(delay);
  await user.type(delay, "1");
  expect(screen.getByText(/Enter a duration/)).toBeTruthy();
  expect(received).toEqual([]);
  await user.type(delay, "2s");
  expect(received.at(-1)?.generate?.delay).toBe("12s");
  expect(screen.getByText("On trial, not in the query.")).toBeTruthy();
  expect(screen.getByText("Apply changes the draft. Saving stores the whole draft as a new version.")).toBeTruthy();
});
