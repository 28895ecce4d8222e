import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import { OutcomeGlyph } from "../../../components/values/Glyph";
import { KIND_LABELS, nodeLines, undrawnLines } from "../../../messages/definition/summary";
import type { Fault, GraphNode } from "../../../model/api";
import { NOTHING } from "../../../model/graph/edit/kinds";
import { portsOf } from "../../../model/graph/edit/ports";
import type { Direction } from "../../../model/graph/layout";
import { OUTCOME_WORDS } from "../../../model/run/outcomes";
import type { NodeFigures } from "../../../model/simulation/figures";
import { counted, formatCount } from "../../../model/text/counts";
import { guideOf } from "../inspector/Inspector";
import { Automaton, automatonHeight, MOST_DRAWN } from "./Automaton";

export interface BoxData extends Record<string, unknown> {
  node: GraphNode;
  faults: readonly Fault[];
  comment: string;
  /** Lines of the explanation, while it is visible. */
  explanation: readonly string[];
  stage: number | null;
  /** The counts of the sample; null while they are unknown. */
  figures: NodeFigures | null;
  direction: Direction;
}

export type BoxNode = Node<BoxData, "box">;

const SIDES = { right: [Position.Left, Position.Right], down: [Position.Top, Position.Bottom] } as const;
const MOST_LINES = 5;
export const BOX_WIDTH = 230;
const LINE = 18;
/** The height of the line with the counts of the sample, which is reserved while they are unknown. */
const FIGURES = 26;

function drawnHeight(node: GraphNode): number {
  return node.kind === "match_recognize" ? automatonHeight(node, MOST_DRAWN) : 0;
}

export function shownLines(node: GraphNode): string[] {
  const lines = node.kind === "match_recognize" && drawnHeight(node) > 0 ? undrawnLines(node) : nodeLines(node);
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES - 1), `and ${lines.length - MOST_LINES + 1} more`];
}

/** The approximate height of a box, for the layout. */
export function boxHeight({ node, faults, comment, explanation }: BoxData): number {
  const ports = Math.max(0, portsOf(node).length - 1) * LINE;
  const flags = faults.length === 0 ? 0 : 58;
  const lines = LINE * shownLines(node).length;
  return 44 + drawnHeight(node) + FIGURES + lines + ports + flags + (comment ? 40 : 0) + 34 * explanation.length;
}

function Ports({ node, direction }: { node: GraphNode; direction: Direction }) {
  const ports = portsOf(node);
  const side = SIDES[direction][0];
  const several = ports.length > 1;
  return ports.map(({ name, label, reads }, index) => {
    const share = `${(100 * (index + 1)) / (ports.length + 1)}%`;
    const style = direction === "right" ? { top: share } : { left: share };
    return (
      <Handle
        key={name}
        id={name}
        type="target"
        position={side}
        style={style}
        data-open={reads === NOTHING}
        title={`${label || "input"}${reads === NOTHING ? ": not connected" : ""}`}
      >
        {several ? <span className="port-label">{label}</span> : null}
      </Handle>
    );
  });
}

/** The worst error with its remedy; the others are counted. */
function Flag({ faults }: { faults: readonly Fault[] }) {
  const worst = faults.find(({ severity }) => severity === "error") ?? faults[0];
  if (worst === undefined) return null;
  const more = faults.length > 1 ? ` And ${faults.length - 1} more.` : "";
  return (
    <p className="flag" title={`${worst.message} ${worst.remedy}${more}`}>
      {worst.severity === "error" ? "✕" : "!"} {worst.remedy}
      {more}
    </p>
  );
}

/** The sample at this node: the outcomes of an input, the number of rows of another node. */
function Figures({ figures }: { figures: NodeFigures }) {
  const { outcomes, rows, isOutput } = figures;
  return (
    <p className="figures-line figures">
      {outcomes.length === 0
        ? counted(rows, isOutput ? "result" : "row")
        : outcomes.map(([outcome, count]) => (
            <span key={outcome} title={`${counted(count, "row")} of the sample: ${OUTCOME_WORDS[outcome].label}`}>
              <OutcomeGlyph outcome={outcome} />
              {formatCount(count)}
              <span className="visually-hidden"> {OUTCOME_WORDS[outcome].label}</span>
            </span>
          ))}
    </p>
  );
}

function Box({ data }: NodeProps<BoxNode>) {
  const { node, faults, comment, explanation, stage, figures, direction } = data;
  const severity = faults.some((fault) => fault.severity === "error") ? "error" : faults[0]?.severity;
  return (
    <div className="graph-node" data-severity={severity} data-stage={stage === null ? undefined : stage % 4}>
      <Ports node={node} direction={direction} />
      <p className="title">
        <strong title={node.id}>{node.id}</strong>
        <a
          className="nodrag nopan"
          href={guideOf(node)}
          target="_blank"
          rel="noopener"
          tabIndex={-1}
          title={`${KIND_LABELS[node.kind]} in the guide`}
        >
          {KIND_LABELS[node.kind]}
        </a>
      </p>
      <Flag faults={faults} />
      {comment === "" ? null : (
        <p className="node-comment" title={comment}>
          {comment}
        </p>
      )}
      {node.kind === "match_recognize" ? <Automaton node={node} most={MOST_DRAWN} /> : null}
      <ul>
        {shownLines(node).map((line) => (
          <li key={line} title={line}>
            {line}
          </li>
        ))}
      </ul>
      {explanation.length === 0 ? null : (
        <ul className="told">
          {explanation.map((each) => (
            <li key={each} title={each}>
              {each}
            </li>
          ))}
        </ul>
      )}
      {figures === null ? null : <Figures figures={figures} />}
      {node.kind === "output" ? null : <Handle id="out" type="source" position={SIDES[direction][1]} />}
    </div>
  );
}

export const NODE_TYPES = { box: memo(Box) };
