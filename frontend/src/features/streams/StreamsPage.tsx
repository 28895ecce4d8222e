import { Link } from "react-router";
import { ReasonedLink } from "../../components/actions/Reasoned";
import { Empty, ErrorNote, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { Scroll } from "../../components/page/Scroll";
import { IsoInstant } from "../../components/values/Instant";
import { useReason } from "../../lib/account/session";
import { formatCount } from "../../lib/numbers";
import { lateWord } from "../../messages/definition/advance";
import type { StreamSummary } from "../../model/api";
import { useStreams } from "./requests";

/** Return the names of the fields; of many, only the first. */
function fieldWords({ fields, field_count }: StreamSummary): string {
  const more = field_count - fields.length;
  return `${fields.join(", ")}${more > 0 ? ` and ${formatCount(more)} more` : ""}`;
}

function StreamTable({ streams }: { streams: readonly StreamSummary[] }) {
  return (
    <Scroll label="Table of streams" panel>
      <table>
        <thead>
          <tr>
            <th>Stream</th>
            <th>Adapter</th>
            <th>Shape</th>
            <th>Fields</th>
            <th>Late policy</th>
            <th>Changed (UTC)</th>
          </tr>
        </thead>
        <tbody>
          {streams.map((stream) => (
            <tr key={stream.id}>
              <th scope="row">
                <Link to={stream.id}>{stream.name}</Link>
              </th>
              <td>{stream.adapter_kind}</td>
              <td>{stream.shape}</td>
              <td>{fieldWords(stream)}</td>
              <td>{lateWord(stream.advance)}</td>
              <td>
                <IsoInstant iso={stream.updated_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Every stream of the organisation. */
export function StreamsPage() {
  const streams = useStreams();
  const reason = useReason("edit");
  const create = (
    <>
      <Link className="button" to="files">
        Files
      </Link>
      <ReasonedLink reason={reason} kind="primary" to="new">
        New stream
      </ReasonedLink>
    </>
  );
  return (
    <>
      <PageHead title="Streams" actions={create} />
      <p className="quiet">A stream is a named input: its fields, its event time, and the adapter that feeds it.</p>
      <ErrorNote error={streams.error} onRetry={() => void streams.refetch()} />
      {streams.isPending ? <Waiting>Loading the streams…</Waiting> : null}
      {streams.data?.length === 0 ? (
        <div className="panel">
          <Empty title="No streams yet">
            <p>
              A stream defines where events come from. Queries read it.{" "}
              {reason === null ? (
                <Link to="new">Create a stream</Link>
              ) : (
                "Ask a designer of your organisation to create one."
              )}
            </p>
          </Empty>
        </div>
      ) : null}
      {streams.data !== undefined && streams.data.length > 0 ? <StreamTable streams={streams.data} /> : null}
    </>
  );
}
