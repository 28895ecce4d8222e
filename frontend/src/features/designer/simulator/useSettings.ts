import { useMutation } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, unwrap } from "../../../lib/api";
import { useSlug } from "../../../lib/session";
import type { AdvanceTimeSettings, EventTimeBy, QueryGraph, StreamDefinition } from "../../../model/api";
import type { RowClock } from "../../../model/simulation/sample";
import { useValidation } from "../requests";
import { type AdvanceByInput, tryNoMore, tryOne, useTried } from "./triedStore";

/** The input nodes of a query with their streams, in its order. */
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

/** Where the times of each stream's rows stand when the rows do not say them themselves. */
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

/** The settings of time of each input: as the query says them, and as a person tries them. */
export function useSettings(
  sql: string | null,
  graph: QueryGraph | null,
  streams: ReadonlyMap<string, StreamDefinition>,
  onText: (text: string) => void,
) {
  const slug = useSlug();
  const tried = useTried();
  const written = useMemo(() => (sql === null ? null : { text: sql }), [sql]);
  const validation = useValidation(written).data;
  const said: AdvanceByInput = validation?.advance ?? NONE;
  const eventTimes = validation?.event_times;
  const clocks = useMemo(() => clocksOf(graph, streams, eventTimes ?? {}), [graph, streams, eventTimes]);
  const inForce = useMemo(() => {
    const found: Record<string, AdvanceTimeSettings> = {};
    for (const { node, stream } of inputsOfGraph(graph)) {
      const settings = tried[node] ?? said[node] ?? streams.get(stream)?.advance;
      if (settings !== undefined) found[node] = settings;
    }
    return found;
  }, [graph, tried, said, streams]);
  const revert = (input: string) => tryNoMore([input]);
  const applying = useMutation({
    mutationFn: async (inputs: readonly string[]) => {
      const now = Object.fromEntries(inputs.flatMap((input) => (tried[input] ? [[input, tried[input]] as const] : [])));
      const body = { text: sql ?? "", advance: { ...said, ...now } };
      const { text } = await unwrap(api.POST("/api/t/{slug}/queries/validate/", { params: { path: { slug } }, body }));
      if (text === null) throw new Error("The settings could not be written into the text. Mend its faults first.");
      return { text, inputs };
    },
    onSuccess: ({ text, inputs }) => {
      onText(text);
      tryNoMore(inputs);
    },
  });
  return { tried, said, inForce, clocks, tryOne, revert, applying };
}
