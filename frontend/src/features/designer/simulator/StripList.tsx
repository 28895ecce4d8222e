import { ErrorNote } from "../../../components/Notices";
import type { Designer } from "../page/designer";
import { SettingsStrip } from "./SettingsStrip";
import { inputsOfGraph, type useSettings } from "./useSettings";

interface StripListProps {
  settings: ReturnType<typeof useSettings>;
  designer: Designer;
}

/** The settings of time of every input. */
export function StripList({ settings, designer }: StripListProps) {
  const { tried, inForce, tryOne, revert, applying } = settings;
  const inputs = inputsOfGraph(designer.graph).map(({ node }) => node);
  return (
    <div className="sim-strips">
      {inputs.map((node) => (
        <SettingsStrip
          key={node}
          input={node}
          others={inputs.filter((each) => each !== node)}
          settings={inForce[node]}
          onChange={(next) => tryOne(node, next)}
          tried={tried[node] !== undefined}
          saved={designer.query !== null}
          readOnly={designer.readOnly}
          applying={applying.isPending}
          onApply={() => applying.mutate([node])}
          onRevert={() => revert(node)}
        />
      ))}
      <ErrorNote error={applying.error} />
    </div>
  );
}
