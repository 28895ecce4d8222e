// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { insertRows, NO_SAMPLE } from "../../../../model/simulation/sample/sample";
import { beginSample, editSample, endSample, redoSample, undoSample, useSampleHistory } from "./sampleStore";

afterEach(cleanup);

function Rows() {
  const history = useSampleHistory();
  return <p>{history === null ? "no sample" : `${history.now.rows.length} given`}</p>;
}

test("one sample is open per page, and its owner can undo and redo edits", async () => {
  const { rerender } = render(<Rows />);
  const visibleRows = () => {
    rerender(<Rows />);
    return screen.getByText(/given|no sample/).textContent;
  };
  expect(visibleRows()).toBe("no sample");
  beginSample(NO_SAMPLE);
  editSample((sample) => insertRows(sample, 0, [{ stream: "s", cti: 1 }]));
  expect(visibleRows()).toBe("1 given");
  undoSample();
  expect(visibleRows()).toBe("0 given");
  redoSample();
  expect(visibleRows()).toBe("1 given");
  endSample();
  expect(visibleRows()).toBe("no sample");
});
