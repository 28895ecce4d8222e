import type { SequenceNode } from "../../../messages/definition/summary";
import { type AutomatonLine, automatonLines } from "../../../model/graph/sequences/automaton";
import { counted } from "../../../model/text/counts";
import "./automaton.css";

/** Lines of an automaton in a box; the form has all of them. */
export const MOST_DRAWN = 8;
export const AUTOMATON_LINE = 36;

/** Return the height of an automaton in a box; 0 for a pattern that can't be read. */
export function automatonHeight(node: SequenceNode, most: number): number {
  const count = automatonLines(node.pattern, node.define ?? [])?.length ?? 0;
  return count === 0 ? 0 : Math.min(count, most) * AUTOMATON_LINE + 3 * 20;
}

function spoken({ label, times, condition }: AutomatonLine): string {
  return [label, times, condition].filter((each) => each !== "").join(", ");
}

/** The states of a sequence from the first row to the match: variables, how often each takes a row, its condition. */
export function Automaton({ node, most }: { node: SequenceNode; most: number }) {
  const lines = automatonLines(node.pattern, node.define ?? []);
  if (lines === null) return null;
  const shown = lines.slice(0, most);
  return (
    <ol className="automaton" aria-label={`States of ${node.id}`}>
      <li data-kind="end" className="quiet">
        start
      </li>
      {shown.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity other than their position
        <li key={index} data-kind={line.kind} data-excluded={line.excluded || undefined} title={spoken(line)}>
          <span style={{ paddingLeft: line.depth * 12 }}>
            <b>{line.label}</b> {line.times === "" ? null : <span className="automaton-times">↻ {line.times}</span>}
            {line.condition === "" ? null : <code>{line.condition}</code>}
          </span>
        </li>
      ))}
      {lines.length > most ? <li className="quiet">and {counted(lines.length - most, "more line")}</li> : null}
      <li data-kind="match">match, {node.within == null ? "without WITHIN" : `within ${node.within}`}</li>
    </ol>
  );
}
