import { expect, test } from "vitest";
import { formFields } from "../forms/schemaForm";
import {
  type DeliverySeen,
  deliveryWords,
  fixWords,
  lostWords,
  type OutputOverview,
  outputPaths,
  readOutputs,
} from "./deliveries";

const SEEN: DeliverySeen = {
  kind: "delivery",
  binding: "b",
  identity: "one",
  revision: 2,
  state: "current",
  delivered: 7,
  delivered_at: 7,
  cti: 9,
  ended: false,
  waiting_rows: 0,
  waiting_exact: true,
  waiting_since: null,
  lost_rows: 0,
  domain: null,
  message: null,
  retry_at: null,
  at: 8,
  carried: true,
};

function output(delivery: Partial<DeliverySeen> | null): OutputOverview {
  const seen = delivery === null ? null : { ...SEEN, ...delivery };
  return { identity: "one", node: "out", adapter: { kind: "x", options: {} }, revision: 2, delivery: seen };
}

test("a delivery reports no more than was observed", () => {
  expect(deliveryWords(output(null)).label).toBe("not started");
  expect(deliveryWords(output({}))).toEqual({ tone: "done", label: "all delivered", waiting: "" });
  expect(deliveryWords(output({ delivered: null })).label).toBe("nothing to deliver yet");
  expect(deliveryWords(output({ state: "behind", waiting_rows: 1_240 })).waiting).toBe("1,240 rows");
  expect(deliveryWords(output({ state: "stopped", waiting_rows: 1, waiting_exact: false }))).toEqual({
    tone: "bad",
    label: "stopped",
    waiting: "up to 1 row",
  });
  for (const state of ["behind", "retrying"] as const)
    expect(deliveryWords(output({ state, waiting_rows: 2, carried: false }))).toEqual({
      tone: "unknown",
      label: "waiting for its runner",
      waiting: "2 rows",
    });
  expect(deliveryWords(output({ revision: 1 })).label).toBe("settings changed");
  expect(fixWords({ ...SEEN, domain: "user" })).toMatch(/output's settings/);
  expect(fixWords({ ...SEEN, domain: "external" })).toMatch(/retried automatically/);
  expect(lostWords(SEEN)).toBeNull();
  expect(lostWords({ ...SEEN, lost_rows: 3 })).toMatch(/^3 rows were deleted/);
});

test("typed values become outputs, and errors appear at their fields", () => {
  const schema = { properties: { host: { type: "string" }, port: { type: "integer" } }, required: ["host"] };
  const fieldsOf = () => formFields(schema);
  const typed = [
    { identity: null, node: "out", kind: "x", options: { host: "a", port: "7" } },
    { identity: "one", node: "out", kind: "x", options: { host: "", port: "p" } },
  ];
  const read = readOutputs(typed, fieldsOf);
  expect(read.outputs[0]).toEqual({
    identity: null,
    node: "out",
    adapter: { kind: "x", options: { host: "a", port: 7 } },
  });
  expect(Object.keys(read.wrong)).toEqual(["outputs.1.adapter.options.host", "outputs.1.adapter.options.port"]);
  expect(outputPaths(typed, fieldsOf)).toContain("outputs.1.adapter.options.port");
});
