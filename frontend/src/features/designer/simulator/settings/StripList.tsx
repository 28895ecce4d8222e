import { useState } from "react";
import { ErrorNote } from "../../../../components/notices/Notices";
import { advanceWords } from "../../../../messages/definition/advance";
import type { Designer } from "../../page/designer";
import { SettingsStrip } from "./SettingsStrip";
import { inputsOfGraph, type useSettings } from "./useSettings";

interface StripListProps {
  settings: ReturnType<typeof useSettings>;
  designer: Designer;
}

/** The time settings of one input. */
export function StripOf({ node, settings, designer }: StripListProps & { node: string }) {
  const { tried, inForce, tryOne, revert, applying } = settings;
  const { storing } = designer;
  const why = `${node}: ${advanceWords(inForce[node]).join(" ")}`.slice(0, 500);
  const [stored, setStored] = useState(false);
  const store = () => {
    setStored(true);
    applying.mutate([node], { onSuccess: ({ text }) => storing?.store(text, why) });
  };
  return (
    <>
      <SettingsStrip
        input={node}
        others={inputsOfGraph(designer.graph).flatMap((each) => (each.node === node ? [] : [each.node]))}
        settings={inForce[node]}
        onChange={(next) => tryOne(node, next)}
        tried={tried[node] !== undefined}
        readOnly={designer.readOnly || designer.locked !== null}
        applying={applying.isPending}
        onApply={() => applying.mutate([node])}
        onStore={storing === null ? null : store}
        onRevert={() => revert(node)}
      />
      {stored && storing !== null ? (
        <>
          <ErrorNote error={storing.error} />
          <p className="small" role="status">
            {storing.message}
          </p>
        </>
      ) : null}
    </>
  );
}

/** The time settings of every input. */
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
