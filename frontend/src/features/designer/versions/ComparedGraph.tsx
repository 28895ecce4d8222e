import { useMemo } from "react";
import { Scroll } from "../../../components/page/Scroll";
import { inputsOf, KIND_LABELS } from "../../../messages/definition/summary";
import type { DefinitionDifference, QueryGraph } from "../../../model/api";
import { type ComparedNode, comparedNodes } from "../../../model/graph/comparedNodes";
import { layeredLayout } from "../../../model/graph/layout";

const WIDTH = 190;
const HEIGHT = 46;
const EDGE = 12;

interface ComparedGraphProps {
  before: QueryGraph;
  after: QueryGraph;
  differences: readonly DefinitionDifference[];
}

function Box({ compared, x, y }: { compared: ComparedNode; x: number; y: number }) {
  const { node, change } = compared;
  return (
    <g transform={`translate(${x} ${y})`} className="compared-node" data-change={change}>
      <rect width={WIDTH} height={HEIGHT} rx={6} />
      <text x={10} y={19}>
        {node.id.length > 24 ? `${node.id.slice(0, 23)}…` : node.id}
      </text>
      <text x={10} y={36} className="kind">
        {KIND_LABELS[node.kind]}
        {change === "same" ? "" : `, ${change}`}
      </text>
    </g>
  );
}

/** Both versions as one graph; added, removed and changed nodes are marked by outline, colour and word. */
export function ComparedGraph({ before, after, differences }: ComparedGraphProps) {
  const nodes = useMemo(() => comparedNodes(before, after, differences), [before, after, differences]);
  const placed = useMemo(
    () =>
      layeredLayout(
        nodes.map(({ node }) => ({ id: node.id, inputs: inputsOf(node), width: WIDTH, height: HEIGHT })),
        "right",
      ),
    [nodes],
  );
  const at = (id: string) => placed.get(id) ?? { x: 0, y: 0 };
  const width = Math.max(...nodes.map(({ node }) => at(node.id).x)) + WIDTH + 2 * EDGE;
  const height = Math.max(...nodes.map(({ node }) => at(node.id).y)) + HEIGHT + 2 * EDGE;
  const changed = nodes.filter(({ change }) => change !== "same");
  if (changed.length === 0) return null;
  const words = changed.map(({ node, change }) => `${node.id} ${change}`).join(", ");
  return (
    <Scroll label="Graph with changes">
      <svg
        className="compared-graph"
        width={width}
        height={height}
        viewBox={`${-EDGE} ${-EDGE} ${width} ${height}`}
        role="img"
        aria-label={`Graph with changes: ${words}`}
      >
        {nodes.flatMap(({ node, change }) =>
          inputsOf(node)
            .filter((source) => placed.has(source))
            .map((source) => {
              const [from, to] = [at(source), at(node.id)];
              const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
              const middle = (x1 + x2) / 2;
              return (
                <path
                  key={`${source}>${node.id}`}
                  data-change={change === "removed" ? "removed" : "same"}
                  d={`M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`}
                />
              );
            }),
        )}
        {nodes.map((compared) => (
          <Box key={compared.node.id} compared={compared} {...at(compared.node.id)} />
        ))}
      </svg>
    </Scroll>
  );
}
