import { Link } from "react-router";
import { IsoInstant } from "../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { ReasonedLink } from "../../components/Reasoned";
import { Scroll } from "../../components/Scroll";
import { useReason } from "../../lib/session";
import { lateWord } from "../../model/advance";
import type { StreamShown } from "../../model/api";
import { useStreams } from "./requests";

function StreamTable({ streams }: { streams: readonly StreamShown[] }) {
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
              <td>{stream.adapter.kind}</td>
              <td>{stream.definition.shape ?? "point"}</td>
              <td>{Object.keys(stream.definition.fields).join(", ")}</td>
              <td>{lateWord(stream.definition.advance)}</td>
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
      <p className="quiet">
        A stream is a named input: its fields, where its time stands, and the adapter that feeds it.
      </p>
      <ErrorNote error={streams.error} onRetry={() => void streams.refetch()} />
      {streams.isPending ? <Waiting>Loading the streams…</Waiting> : null}
      {streams.data?.length === 0 ? (
        <div className="panel">
          <Empty title="No streams yet.">
            <p>
              A stream says where events come from; queries read it.{" "}
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
