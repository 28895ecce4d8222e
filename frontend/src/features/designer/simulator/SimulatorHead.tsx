import { advanceWords } from "../../../messages/definition/advance";
import { nodeLines } from "../../../messages/definition/summary";
import type { QueryGraph } from "../../../model/api";
import type { Sample } from "../../../model/simulation/sample/sample";
import { counted } from "../../../model/text/counts";
import type { AdvanceByInput } from "./settings/trialStore";

interface HeadProps {
  sample: Sample;
  graph: QueryGraph | null;
  advance: AdvanceByInput;
  pending: boolean;
}

function windowsIn(graph: QueryGraph | null): string[] {
  const windows = (graph?.nodes ?? []).filter((node) => node.kind === "window" || node.kind === "top_k");
  return windows.map((node) => nodeLines(node).join(", "));
}

/** A one-line summary of the simulation. */
export function SimulatorHead({ sample, graph, advance, pending }: HeadProps) {
  if (sample.rows.length === 0) return "Runs the query on a sample, row by row. Nothing is stored.";
  const inputs = Object.entries(advance);
  const clocks = inputs.map(([input, settings]) => {
    const words = advanceWords(settings).join(" ");
    return inputs.length < 2 ? words : `${input}: ${words}`;
  });
  const from = sample.from === "" ? counted(sample.rows.length, "row") : sample.from;
  return (
    <>
      {[`Sample: ${from}`, ...windowsIn(graph), ...clocks].join(" · ")}
      <span role="status" className="sim-pending">
        {pending ? " Simulating…" : ""}
      </span>
    </>
  );
}
