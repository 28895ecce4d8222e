import { ActionButton } from "../../components/ActionButton";
import { AskedAction } from "../../components/AskedAction";
import { IsoInstant } from "../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { ReasonedButton } from "../../components/Reasoned";
import { Scroll } from "../../components/Scroll";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";
import type { ExportShown } from "../../model/api";
import { bytesWords } from "../../model/quotas";
import type { Tone } from "../../model/states";
import { useDeleteExport, useExports, useRefresh } from "./requests";

const STATES: Record<ExportShown["state"], { word: string; tone: Tone }> = {
  requested: { word: "waits to be written", tone: "busy" },
  writing: { word: "is being written", tone: "busy" },
  ready: { word: "ready", tone: "good" },
  failed: { word: "failed", tone: "bad" },
  expired: { word: "expired", tone: "idle" },
};

function Download({ made }: { made: ExportShown }) {
  const slug = useSlug();
  const refresh = useRefresh();
  const open = async () => {
    const params = { path: { slug, export: made.id } };
    const { url } = await unwrap(api.POST("/api/t/{slug}/exports/{export}/link/", { params }));
    window.location.assign(url);
    await refresh("audit");
  };
  return (
    <ActionButton
      words={["Download", "Making a link…"]}
      label={`Download the export of ${made.created_at}`}
      act={open}
      kind="primary"
    />
  );
}

function Delete({ made }: { made: ExportShown }) {
  const remove = useDeleteExport();
  return (
    <AskedAction
      opener="Delete…"
      label={`Delete the export of ${made.created_at}`}
      title="Delete the export?"
      words={["Delete the export", "Deleting it…"]}
      keep="Keep it"
      act={() => remove(made.id)}
    >
      <p>
        {made.state === "ready"
          ? "Its file is deleted, and cannot be downloaded any more, by links that were made before either."
          : "It is taken out of the list; it has no file."}
      </p>
    </AskedAction>
  );
}

function Actions({ made }: { made: ExportShown }) {
  const begun = made.state === "requested" || made.state === "writing";
  return (
    <div className="row end">
      {made.state === "ready" ? <Download made={made} /> : null}
      {begun ? null : <Delete made={made} />}
    </div>
  );
}

function ExportTable({ exports }: { exports: readonly ExportShown[] }) {
  return (
    <Scroll label="Table of exports">
      <table>
        <thead>
          <tr>
            <th>Asked for (UTC)</th>
            <th>By</th>
            <th>State</th>
            <th className="num">Size</th>
            <th>Kept until (UTC)</th>
            <th>
              <span className="visually-hidden">Download or delete</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {exports.map((each) => (
            <tr key={each.id}>
              <th scope="row">
                <IsoInstant iso={each.created_at} />
              </th>
              <td>{each.requested_by}</td>
              <td>
                <span className="mark" data-tone={STATES[each.state].tone} role="status">
                  {STATES[each.state].word}
                </span>
                {each.message === null ? null : <p className="message small">{each.message}</p>}
              </td>
              <td className="num nowrap">{each.bytes === null ? "" : bytesWords(each.bytes)}</td>
              <td>{each.expires_at === null ? "" : <IsoInstant iso={each.expires_at} />}</td>
              <td className="num">
                <Actions made={each} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** All of the organisation as a file. */
export function Exports({ reason }: { reason: string | null }) {
  const slug = useSlug();
  const refresh = useRefresh();
  const exports = useExports(reason === null);
  const ask = () => unwrap(api.POST("/api/t/{slug}/exports/", { params: { path: { slug } } }));
  return (
    <Panel
      title="Export"
      note="Streams, queries, runs, results, members and the audit log in one file; no passwords, tokens or other secrets."
      actions={
        reason === null ? (
          <ActionButton words={["Ask for an export", "Asking…"]} act={ask} onDone={() => refresh("exports", "audit")} />
        ) : (
          <ReasonedButton reason={reason}>Ask for an export</ReasonedButton>
        )
      }
      flush
    >
      {reason === null && exports.isPending ? <Waiting>Loading the exports…</Waiting> : null}
      <ErrorNote error={exports.error} onRetry={() => void exports.refetch()} />
      {exports.data?.length === 0 ? (
        <Empty title="No export was asked for yet.">
          <p>It is written in the background; once it is ready, it can be downloaded here for some days.</p>
        </Empty>
      ) : null}
      {exports.data !== undefined && exports.data.length > 0 ? <ExportTable exports={exports.data} /> : null}
      {reason === null ? null : <p className="more quiet small">Only owners see the exports.</p>}
    </Panel>
  );
}
