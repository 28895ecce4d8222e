import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { IsoInstant } from "../../../components/values/Instant";
import { formatCount } from "../../../lib/numbers";
import { changedWords } from "../../../messages/results/repairs";
import type { RepairResponse } from "../../../model/api";
import { useRepairs } from "./repairRequests";

function Standing({ repair }: { repair: RepairResponse }) {
  if (repair.given_at !== null)
    return (
      <>
        <IsoInstant iso={repair.given_at} /> <span className="quiet">· batch {repair.batch}</span>
      </>
    );
  return <span role="status">{repair.failure || "in progress…"}</span>;
}

/** Repairs of a binding's results with time and author; renders nothing without repairs. */
export function RepairsPanel({ binding, run }: { binding: string; run: string }) {
  const repairs = useRepairs(binding).data ?? [];
  if (repairs.length === 0) return null;
  return (
    <Panel
      title="Repairs"
      note="Quarantined rows restored to the results of this binding, newest first. Only repairs change final rows"
      flush
    >
      <Scroll label="Table of repairs" tall>
        <table>
          <thead>
            <tr>
              <th>Requested (UTC)</th>
              <th>By</th>
              <th className="num">Rows restored</th>
              <th>Result rows</th>
              <th>Emitted (UTC)</th>
            </tr>
          </thead>
          <tbody>
            {repairs.map((repair) => (
              <tr key={repair.id}>
                <th scope="row">
                  <IsoInstant iso={repair.created_at} />
                  {repair.run === run ? null : <p className="quiet">of another run</p>}
                </th>
                <td>
                  <bdi>{repair.by}</bdi>
                </td>
                <td className="num">{formatCount(repair.rows)}</td>
                <td>{changedWords(repair)}</td>
                <td>
                  <Standing repair={repair} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  );
}
