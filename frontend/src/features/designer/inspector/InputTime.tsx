/** The time settings of an input. Settings on trial also apply in the simulator; Apply writes them into the query. */

import { ErrorNote } from "../../../components/notices/Notices";
import { advanceWords } from "../../../messages/definition/advance";
import { useDesigner } from "../page/designer";
import { useStreamDefinitions } from "../simulator/requests";
import { StripOf } from "../simulator/settings/StripList";
import { useSettings } from "../simulator/settings/useSettings";

/** Return the source of the current settings. */
function originWords(stream: string, tried: boolean, written: boolean): string {
  if (tried) return "Settings on trial:";
  return written ? "Set by this query (ADVANCE TIME):" : `Set by the stream ${stream}; this query can override them:`;
}

/** The time settings of one input of the query. */
export function InputTime({ node, stream }: { node: string; stream: string }) {
  const designer = useDesigner();
  const streams = useStreamDefinitions([stream]);
  const settings = useSettings(designer.sql, designer.graph, streams, designer.replaceText);
  const inForce = settings.inForce[node];
  return (
    <div className="stack">
      <strong>Time settings</strong>
      <p className="small quiet">
        {originWords(stream, settings.tried[node] !== undefined, settings.stored[node] !== undefined)}{" "}
        {advanceWords(inForce).join(" ")}
      </p>
      <StripOf node={node} settings={settings} designer={designer} />
      <ErrorNote error={settings.applying.error} />
    </div>
  );
}
