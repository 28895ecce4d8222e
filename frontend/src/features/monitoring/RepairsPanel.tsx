import { IsoInstant } from "../../components/Instant";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import { formatCount } from "../../lib/numbers";
import type { RepairShown } from "../../model/api";
import { changedWords } from "../../model/repairs";
import { useRepairs } from "./repairRequests";

function Standing({ repair }: { repair: RepairShown }) {
  if (repair.given_at !== null)
    return (
      <>
        <IsoInstant iso={repair.given_at} /> <span className="quiet">· batch {repair.batch}</span>
      </>
    );
  return <span role="status">{repair.failure || "being given…"}</span>;
}

/** What was repaired of a binding's results, when and by whom; nothing where nothing was. */
export function RepairsPanel({ binding, run }: { binding: string; run: string }) {
  const repairs = useRepairs(binding).data ?? [];
  if (repairs.length === 0) return null;
  return (
    <Panel
      title="Repairs"
      note="Rows of quarantine that were taken back into results of this binding, newest first. Final rows change by these alone."
      flush
    >
      <Scroll label="Table of repairs" tall>
        <table>
          <thead>
            <tr>
              <th>Asked for (UTC)</th>
              <th>By</th>
              <th className="num">Rows taken back</th>
              <th>Rows of the result</th>
              <th>Given (UTC)</th>
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
