import { useMutation } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSlug } from "../../../../lib/account/session";
import { api, unwrap } from "../../../../lib/api/client";
import type { AdvanceTimeSettings, EventTimeBy, QueryGraph, StreamDefinition } from "../../../../model/api";
import type { RowClock } from "../../../../model/simulation/sample/sample";
import { useValidation } from "../../requests";
import { type AdvanceByInput, discardTrial, tryOne, useTrialSettings } from "./trialStore";

/** Return the input nodes of a query with their streams, in the query's order. */
export function inputsOfGraph(graph: QueryGraph | null): readonly { node: string; stream: string }[] {
  const nodes = graph?.nodes ?? [];
  return nodes.flatMap((node) => (node.kind === "input" ? [{ node: node.id, stream: node.stream }] : []));
}

const NONE: AdvanceByInput = {};
const ROOTS: Record<string, string> = { _value: "payload", _key: "key", _meta: "meta" };

function pathOf(written: string): string[] {
  const [first = "", ...rest] = written.split(".");
  const root = ROOTS[first];
  return root === undefined ? ["payload", first, ...rest] : [root, ...rest];
}

function writtenClock({ path, unit }: EventTimeBy): RowClock {
  return { start: { path: pathOf(path), unit: unit ?? "iso" }, always: true };
}

function columnClock({ start, end }: NonNullable<StreamDefinition["event_time"]>): RowClock {
  const place = ({ column, unit }: typeof start) => ({ path: ["payload", column], unit: unit ?? "iso" });
  return { start: place(start), ...(end == null ? {} : { end: place(end) }), always: false };
}

/** Return the columns with each stream's times, for rows without times of their own. */
function clocksOf(
  graph: QueryGraph | null,
  streams: ReadonlyMap<string, StreamDefinition>,
  eventTimes: Readonly<Record<string, EventTimeBy>>,
): ReadonlyMap<string, RowClock> {
  const clocks = inputsOfGraph(graph).flatMap(({ node, stream }): (readonly [string, RowClock])[] => {
    const by = eventTimes[node];
    if (by !== undefined) return [[stream, writtenClock(by)]];
    const own = streams.get(stream)?.event_time;
    return own == null ? [] : [[stream, columnClock(own)]];
  });
  return new Map(clocks);
}

/** Return each input's time settings: those of the query, and those on trial. */
export function useSettings(
  sql: string | null,
  graph: QueryGraph | null,
  streams: ReadonlyMap<string, StreamDefinition>,
  onText: (text: string) => void,
) {
  const slug = useSlug();
  const tried = useTrialSettings();
  const validation = useValidation(sql).data;
  const stored: AdvanceByInput = validation?.advance ?? NONE;
  const eventTimes = validation?.event_times;
  const clocks = useMemo(() => clocksOf(graph, streams, eventTimes ?? {}), [graph, streams, eventTimes]);
  const inForce = useMemo(() => {
    const found: Record<string, AdvanceTimeSettings> = {};
    for (const { node, stream } of inputsOfGraph(graph)) {
      const settings = tried[node] ?? stored[node] ?? streams.get(stream)?.advance;
      if (settings !== undefined) found[node] = settings;
    }
    return found;
  }, [graph, tried, stored, streams]);
  const revert = (input: string) => discardTrial([input]);
  const applying = useMutation({
    mutationFn: async (inputs: readonly string[]) => {
      const now = Object.fromEntries(inputs.flatMap((input) => (tried[input] ? [[input, tried[input]] as const] : [])));
      const body = { text: sql ?? "", advance: { ...stored, ...now } };
      const { text } = await unwrap(api.POST("/api/t/{slug}/queries/validate/", { params: { path: { slug } }, body }));
      if (text === null) throw new Error("The settings could not be written into the text. Fix its errors first.");
      return { text, inputs };
    },
    onSuccess: ({ text, inputs }) => {
      onText(text);
      discardTrial(inputs);
    },
  });
  return { tried, stored, inForce, clocks, tryOne, revert, applying };
}
