/** How time moves on an input, in its form: what is tried here counts in the simulator too, and is written by Apply. */

import { ErrorNote } from "../../../components/Notices";
import { advanceWords } from "../../../model/advance";
import type { StreamDefinition } from "../../../model/api";
import { useDesigner } from "../page/designer";
import { useStreamDefinitions } from "../simulator/requests";
import { StripOf } from "../simulator/StripList";
import { useSettings } from "../simulator/useSettings";

const NO_STREAMS: ReadonlyMap<string, StreamDefinition> = new Map();

/** Where the settings stand that are in force. */
function originWords(stream: string, tried: boolean, written: boolean): string {
  if (tried) return "As you try it:";
  return written ? "As this query says (ADVANCE TIME):" : `As the stream ${stream} says; this query may say otherwise:`;
}

/** The settings of time of one input of the query. */
export function InputTime({ node, stream }: { node: string; stream: string }) {
  const designer = useDesigner();
  const streams = useStreamDefinitions().data ?? NO_STREAMS;
  const settings = useSettings(designer.sql, designer.graph, streams, designer.replaceText);
  const inForce = settings.inForce[node];
  return (
    <div className="stack">
      <strong>How its time moves</strong>
      <p className="small quiet">
        {originWords(stream, settings.tried[node] !== undefined, settings.said[node] !== undefined)}{" "}
        {advanceWords(inForce).join(" ")}
      </p>
      <StripOf node={node} settings={settings} designer={designer} />
      <ErrorNote error={settings.applying.error} />
    </div>
  );
}
