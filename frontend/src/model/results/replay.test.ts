import { describe, expect, it } from "vitest";
import type { LateResponse, ReplayedRow } from "../api";
import { columnsOf, correctedRows, originalText } from "./replay";

const TYPES = { plate: "string", n: "long", at: "timestamp" };

describe("corrected rows", () => {
  it("keep every digit, and texts are quoted", () => {
    const fields = { plate: '5"', n: "9007199254740993" };
    const texts = new Map([["0-0-1", { start: " 2026-01-01T00:00:00Z ", end: "", fields }]]);
    expect(correctedRows(texts, new Map([["0-0-1", TYPES]]))).toEqual([
      {
        id: "0-0-1",
        start: "2026-01-01T00:00:00Z",
        end: null,
        payload: '{"plate": "5\\"", "n": 9007199254740993, "at": null}',
      },
    ]);
  });

  it("send invalid numbers as text, so that the server reports them", () => {
    const texts = new Map([["0-0-1", { start: "1", end: "2", fields: { n: "many" } }]]);
    expect(correctedRows(texts, new Map([["0-0-1", { n: "long" }]]))[0]?.payload).toBe('{"n": "many"}');
  });

  it("without a start stay as received", () => {
    expect(correctedRows(new Map([["0-0-1", { start: " ", end: "", fields: {} }]]), new Map())).toEqual([]);
  });

  it("start with the fields of their text", () => {
    const row = { raw: '{"plate": "AB 1", "n": "x", "more": 1}', start: null } as LateResponse;
    expect(originalText(row, TYPES)).toEqual({ start: "", end: "", fields: { plate: "AB 1", n: "x" } });
    const long = originalText({ ...row, raw: '{"n": 9007199254740993}' }, TYPES);
    expect(long.fields).toEqual({ n: "9007199254740993" });
    expect(originalText({ ...row, raw: "{broken" }, TYPES).fields).toEqual({});
    expect(originalText({ ...row, start: 0 }, TYPES).start).toContain("1970-01-01");
  });
});

describe("the changes", () => {
  const row = { mark: "changed", payload: { k: "a", n: 2 }, today_payload: { k: "a", n: 1 } } as unknown as ReplayedRow;

  it("are listed by column, with the current and the new value", () => {
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
