// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { KeyList } from "../../../components/page/KeyList";
import { useResultKeys } from "./resultKeys";

const pressed = vi.fn();
beforeEach(() => {
  Element.prototype.scrollIntoView = () => undefined;
});
afterEach(() => {
  cleanup();
  vi.resetAllMocks();
});

function Line({ name }: { name: string }) {
  return (
    <tr>
      <td>
        <a href={`#${name}`}>{name}</a>
        <button type="button" data-key="w" onClick={() => pressed(`why ${name}`)}>
          Why?
        </button>
      </td>
    </tr>
  );
}

function Page({ dialog = false }: { dialog?: boolean }) {
  return (
    <>
      <KeyList keys={useResultKeys()} />
      <button type="button" data-key="e" onClick={() => pressed("export")}>
        Download…
      </button>
      <table>
        <tbody>
          <Line name="newest" />
          <Line name="older" />
        </tbody>
      </table>
      <section data-key="q" aria-label="Late rows" tabIndex={-1} />
      <input aria-label="Filter" />
      {/* biome-ignore lint/a11y/useSemanticElements: as in the SQL editor */}
      <div contentEditable role="textbox" aria-label="SQL" tabIndex={0} suppressContentEditableWarning>
        <span>SELECT</span>
      </div>
      {dialog ? <div role="dialog">A form</div> : null}
    </>
  );
}

test("w explains the result with the focus, without one the newest; e exports; q goes to the late rows", async () => {
  render(<Page />);
  await userEvent.keyboard("w");
  screen.getByRole("link", { name: "older" }).focus();
  await userEvent.keyboard("we");
  expect(pressed.mock.calls.flat()).toEqual(["why newest", "why older", "export"]);
  await userEvent.keyboard("q");
  expect(document.activeElement).toBe(screen.getByRole("region", { name: "Late rows" }));
});

test("the keys are listed", () => {
  render(<Page />);
  expect(screen.getAllByRole("listitem", { hidden: true }).map((item) => item.textContent)).toEqual([
    "w explain the result that has the focus, or the newest one",
    "q go to the late and malformed rows",
    "e download the results",
  ]);
});

test.each(["Filter", "SQL"])("no key acts while somebody types into %s", async (name) => {
  render(<Page />);
  screen.getByRole("textbox", { name }).focus();
  await userEvent.keyboard("wqe");
  expect(pressed).not.toHaveBeenCalled();
});

test("no key acts with Ctrl, or while a dialog is open", async () => {
  render(<Page dialog />);
  await userEvent.keyboard("we");
  cleanup();
  render(<Page />);
  await userEvent.keyboard("{Control>}w{/Control}");
  expect(pressed).not.toHaveBeenCalled();
});
