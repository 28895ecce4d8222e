import { expect, test } from "vitest";
import type { StreamProposal, TimeCandidate } from "../api";
import { freeName } from "../text/freeName";
import { keptWords, nameOfFile, plannedWords, takenTime, withProposal, withTime } from "./proposal";
import { EMPTY_FORM, streamBody } from "./streamForm";

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

test("a taken name gets a number", () => {
  expect(freeName("cars", ["cars", "cars_2"])).toBe("cars_3");
  expect(freeName("cars", [])).toBe("cars");
});

test("a proposal fills in time, delay and fields, and keeps the name", () => {
  const form = withProposal({ ...EMPTY_FORM, name: "mine" }, PROPOSAL, undefined);
  expect(form).toMatchObject({ name: "mine", startColumn: "seen_at", unit: "iso", delay: "5s", late: "drop" });
  expect(form.fields.map(({ name }) => name)).toContain("plate");
  expect(takenTime(form, PROPOSAL)).toBe(POINT);
});

test("another time sets its own shape, and its edge columns are not fields", () => {
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

test("an ambiguous date is not used until a person chooses day or month first", () => {
  const written = (pattern: string) => ({
    ...POINT,
    asks: true,
    start: { column: "seen_at", unit: "pattern" as const, zone: "UTC", pattern },
  });
  const both = { ...PROPOSAL, times: [written("dd/MM/yyyy"), written("MM/dd/yyyy")] };
  const form = withProposal(EMPTY_FORM, both, undefined);
  expect(form.startColumn).toBe("");
  expect(takenTime(form, both)).toBeUndefined();
  const chosen = withTime(form, both, both.times[1]);
  expect(takenTime(chosen, both)).toBe(both.times[1]);
  expect(streamBody(chosen, {}).definition.event_time?.start).toEqual({
    ...{ column: "seen_at", unit: "pattern", zone: "UTC", pattern: "MM/dd/yyyy" },
  });
});

test("a time in two columns, and a clock for each device, are applied", () => {
  const time: TimeCandidate = {
    ...POINT,
    start: { column: "day", unit: "iso", zone: "UTC", time_column: "clock" },
    over: "device",
  };
  const body = streamBody(withTime(EMPTY_FORM, PROPOSAL, time), {});
  expect(body.definition.event_time?.start).toEqual({ column: "day", unit: "iso", zone: "UTC", time_column: "clock" });
  expect(body.definition.advance?.over).toBe("device");
  expect(streamBody(withTime(EMPTY_FORM, PROPOSAL, POINT), {}).definition.advance?.over).toBeUndefined();
});

test("an adapter that sets everything takes only the delay", () => {
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

test("one sentence describes the plan", () => {
  const cut = { ...EMPTY_FORM, shape: "interval", late: "adjust", every: "10", delay: "5s" } as const;
  expect(plannedWords(cut)).toBe(
    "A CTI after every 10 events, 5s before the newest event; the start of later events is moved up.",
  );
  expect(plannedWords({ ...EMPTY_FORM, every: "1", delay: "0s" })).toMatch(/^A CTI after every 1 event, at the newest/);
  expect(plannedWords({ ...EMPTY_FORM, every: "2s" })).toMatch(/^A CTI every 2s, /);
  expect(plannedWords({ ...EMPTY_FORM, generate: false })).toMatch(/^Windows are complete only/);
  const own = { kind: "b", title: "", help: "", sends_ctis: true, fields: null, options_schema: {}, reads_back: false };
  const clocked = { ...own, clocked: ["point" as const] };
  expect(plannedWords({ ...EMPTY_FORM, generate: false }, clocked)).toMatch(/^CTIs arrive with the rows/);
  expect(withProposal(EMPTY_FORM, { ...PROPOSAL, times: [] }, clocked).generate).toBe(false);
});

test("a delay's share of kept rows is never rounded up to 100 %", () => {
  expect(keptWords({ kept: 1, late: 0 })).toBe("keeps every row of the sample");
  expect(keptWords({ kept: 0.99996, late: 1 })).toBe("keeps 99.9 %: all but 1 row of the sample");
});
