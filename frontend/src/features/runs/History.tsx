import { Link } from "react-router";
import { Scroll } from "../../components/page/Scroll";
import { IsoInstant } from "../../components/values/Instant";
import { StateMark } from "../../components/values/StateMark";
import { useSlug } from "../../lib/account/session";
import { versionWords } from "../../messages/run/versions";
import type { RunResponse } from "../../model/api";

/** Linked runs, each with its query version. */
export function History({ runs }: { runs: readonly RunResponse[] }) {
  const slug = useSlug();
  return (
    <Scroll label="Table of runs" tall>
      <table>
        <thead>
          <tr>
            <th>Started (UTC)</th>
            <th>Binding</th>
            <th>State</th>
            <th>Query</th>
            <th>Ended (UTC)</th>
            <th>Message</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <th scope="row">
                <Link to={`/t/${slug}/runs/${run.id}`}>
                  <IsoInstant iso={run.created_at} />
                </Link>
              </th>
              <td>
                <bdi>{run.binding_name}</bdi>
              </td>
              <td>
                <StateMark observed={run.observed} since={run.changed_at} />
              </td>
              <td className="nowrap">
                {run.query === null ? (
                  <span title="This query was deleted">{run.query_name}</span>
                ) : (
                  <Link to={`/t/${slug}/queries/${run.query}`}>{run.query_name}</Link>
                )}{" "}
                {versionWords(run.query_version)}
              </td>
              <td>{run.ended_at === null ? "" : <IsoInstant iso={run.ended_at} />}</td>
              <td className="message">{run.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
