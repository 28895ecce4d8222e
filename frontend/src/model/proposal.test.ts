import { expect, test } from "vitest";
import type { StreamProposal, TimeCandidate } from "./api";
import { freeName } from "./freeName";
import { keptWords, nameOfFile, plannedWords, takenTime, withProposal, withTime } from "./proposal";
import { EMPTY_FORM } from "./streamForm";

const POINT: TimeCandidate = {
  start: { column: "seen_at", unit: "iso", zone: "UTC" },
  reason: "text in ISO 8601",
  readable: 1,
  first: 0,
  last: 1,
  shape: "point",
  shape_reason: "one time",
  end: null,
  edge: null,
  lateness: {
    rows: 100,
    quantiles: { p50: 0, p95: 0, p99: 5_000_000, largest: 9_000_000 },
    choices: [
      { delay: "0s", kept: 0.9, late: 10, proposed: false },
      { delay: "5s", kept: 0.99, late: 1, proposed: true },
    ],
  },
};
const EDGE: TimeCandidate = {
  ...POINT,
  start: { column: "begin", unit: "ms", zone: "UTC" },
  shape: "edge",
  end: { column: "until", unit: "s", zone: "UTC" },
  edge: "kind",
};
const FIELDS = ["seen_at", "begin", "until", "kind", "plate"].map((name) => ({
  name,
  column: name,
  type: "string",
  example: "",
  misfits: 0,
}));
const PROPOSAL: StreamProposal = {
  fields: FIELDS,
  times: [POINT, EDGE],
  options: {},
  read: "100 rows",
  records: 100,
  notes: [],
  columns: [],
  rows: [],
};

test.each([
  ["cars.csv", "cars"],
  ["feeds/Market Feed.csv.gz", "market_feed"],
  ["Verkehr Zürich.parquet", "verkehr_zurich"],
  ["2026-01.csv.zst", "stream_2026_01"],
  ["___.csv", "stream"],
])("the stream of %s is called %s", (path, name) => {
  expect(nameOfFile(path)).toBe(name);
});

test("a name that is taken gets a number", () => {
  expect(freeName("cars", ["cars", "cars_2"])).toBe("cars_3");
  expect(freeName("cars", [])).toBe("cars");
});

test("a proposal fills in time, delay and fields, and leaves the name alone", () => {
  const form = withProposal({ ...EMPTY_FORM, name: "mine" }, PROPOSAL, undefined);
  expect(form).toMatchObject({ name: "mine", startColumn: "seen_at", unit: "iso", delay: "5s", late: "drop" });
  expect(form.fields.map(({ name }) => name)).toContain("plate");
  expect(takenTime(form, PROPOSAL)).toBe(POINT);
});

test("another time brings its own shape, and the columns of an edge are no fields", () => {
  const form = withTime(EMPTY_FORM, PROPOSAL, EDGE);
  expect(form).toMatchObject({
    shape: "edge",
    endColumn: "until",
    edgeColumn: "kind",
    unit: "ms",
    endUnit: "s",
    late: "adjust",
  });
  expect(form.fields.map(({ name }) => name)).toEqual(["seen_at", "plate"]);
});

test("an adapter that gives all takes the delay alone", () => {
  const kind = {
    kind: "generator",
    title: "",
    help: "",
    sends_ctis: false,
    fields: { a: "long" },
    options_schema: {},
    reads_back: false,
    clocked: [],
  };
  const form = withProposal(EMPTY_FORM, PROPOSAL, kind);
  expect(form).toMatchObject({ startColumn: "", delay: "5s", fields: EMPTY_FORM.fields });
});

test("one sentence says what will happen", () => {
  const cut = { ...EMPTY_FORM, shape: "interval", late: "adjust", every: "10", delay: "5s" } as const;
  expect(plannedWords(cut)).toBe(
    "A CTI after every 10 events, 5s behind the newest event; later events are cut to fit.",
  );
  expect(plannedWords({ ...EMPTY_FORM, every: "1", delay: "0s" })).toMatch(/^A CTI after every 1 event, at the newest/);
  expect(plannedWords({ ...EMPTY_FORM, every: "2s" })).toMatch(/^A CTI every 2s, /);
  expect(plannedWords({ ...EMPTY_FORM, generate: false })).toMatch(/^Nothing says/);
  const own = { kind: "b", title: "", help: "", sends_ctis: true, fields: null, options_schema: {}, reads_back: false };
  const clocked = { ...own, clocked: ["point" as const] };
  expect(plannedWords({ ...EMPTY_FORM, generate: false }, clocked)).toMatch(/^CTIs come with the rows/);
  expect(withProposal(EMPTY_FORM, { ...PROPOSAL, times: [] }, clocked).generate).toBe(false);
});

test("what a delay keeps is never rounded up to everything", () => {
  expect(keptWords({ kept: 1, late: 0 })).toBe("keeps every row of the sample");
  expect(keptWords({ kept: 0.99996, late: 1 })).toBe("keeps 99.9 %: all but 1 row of the sample");
});
