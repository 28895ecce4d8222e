import { ErrorNote } from "../../../components/Notices";
import type { Designer } from "../page/designer";
import { SettingsStrip } from "./SettingsStrip";
import { inputsOfGraph, type useSettings } from "./useSettings";

interface StripListProps {
  settings: ReturnType<typeof useSettings>;
  designer: Designer;
}

/** The settings of time of one input. */
export function StripOf({ node, settings, designer }: StripListProps & { node: string }) {
  const { tried, inForce, tryOne, revert, applying } = settings;
  return (
    <SettingsStrip
      input={node}
      others={inputsOfGraph(designer.graph).flatMap((each) => (each.node === node ? [] : [each.node]))}
      settings={inForce[node]}
      onChange={(next) => tryOne(node, next)}
      tried={tried[node] !== undefined}
      saved={designer.query !== null}
      readOnly={designer.readOnly || designer.locked !== null}
      applying={applying.isPending}
      onApply={() => applying.mutate([node])}
      onRevert={() => revert(node)}
    />
  );
}

/** The settings of time of every input. */
export function StripList({ settings, designer }: StripListProps) {
  return (
    <div className="sim-strips">
      {inputsOfGraph(designer.graph).map(({ node }) => (
        <StripOf key={node} node={node} settings={settings} designer={designer} />
      ))}
      <ErrorNote error={settings.applying.error} />
    </div>
  );
}
