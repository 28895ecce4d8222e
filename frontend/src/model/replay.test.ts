import { describe, expect, it } from "vitest";
import type { LateShown, ReplayedRow } from "./api";
import { asItCame, columnsOf, mendedRows } from "./replay";

const TYPES = { plate: "string", n: "long", at: "timestamp" };

describe("rows that are mended", () => {
  it("keep every digit, and texts are quoted", () => {
    const fields = { plate: '5"', n: "9007199254740993" };
    const texts = new Map([["0-0-1", { start: " 2026-01-01T00:00:00Z ", end: "", fields }]]);
    expect(mendedRows(texts, new Map([["0-0-1", TYPES]]))).toEqual([
      {
        id: "0-0-1",
        start: "2026-01-01T00:00:00Z",
        end: null,
        payload: '{"plate": "5\\"", "n": 9007199254740993, "at": null}',
      },
    ]);
  });

  it("send what is no number as text, so that the server says what is wrong", () => {
    const texts = new Map([["0-0-1", { start: "1", end: "2", fields: { n: "many" } }]]);
    expect(mendedRows(texts, new Map([["0-0-1", { n: "long" }]]))[0]?.payload).toBe('{"n": "many"}');
  });

  it("without a start stay as they came", () => {
    expect(mendedRows(new Map([["0-0-1", { start: " ", end: "", fields: {} }]]), new Map())).toEqual([]);
  });

  it("begin with what their text has", () => {
    const row = { raw: '{"plate": "AB 1", "n": "x", "more": 1}', start: null } as LateShown;
    expect(asItCame(row, TYPES)).toEqual({ start: "", end: "", fields: { plate: "AB 1", n: "x" } });
    expect(asItCame({ ...row, raw: "{broken" }, TYPES).fields).toEqual({});
    expect(asItCame({ ...row, start: 0 }, TYPES).start).toContain("1970-01-01");
  });
});

describe("what would change", () => {
  const row = { mark: "changed", payload: { k: "a", n: 2 }, today_payload: { k: "a", n: 1 } } as unknown as ReplayedRow;

  it("stands column by column, as it is and as it would be", () => {
    expect(columnsOf(row)).toEqual([
      { name: "k", was: "a", would: "a" },
      { name: "n", was: "1", would: "2" },
    ]);
    expect(columnsOf({ ...row, mark: "only_here", today_payload: null })[1]).toEqual({
      name: "n",
      was: null,
      would: "2",
    });
    expect(columnsOf({ ...row, mark: "missing", today_payload: null })[1]).toEqual({
      name: "n",
      was: "2",
      would: null,
    });
  });
});
