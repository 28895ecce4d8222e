import { advanceWords } from "../../../model/advance";
import type { QueryGraph } from "../../../model/api";
import { counted } from "../../../model/counts";
import type { Sample } from "../../../model/simulation/sample";
import { nodeLines } from "../../../model/summary";
import type { AdvanceByInput } from "./triedStore";

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

/** What is simulated, in a line. */
export function SimulatorHead({ sample, graph, advance, pending }: HeadProps) {
  if (sample.rows.length === 0) return "What the query makes of a sample, row by row. Nothing is written anywhere.";
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
