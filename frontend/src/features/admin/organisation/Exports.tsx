import { ActionButton } from "../../../components/actions/ActionButton";
import { ConfirmedAction } from "../../../components/actions/ConfirmedAction";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { Empty, ErrorNote, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { IsoInstant } from "../../../components/values/Instant";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { bytesWords } from "../../../messages/organisation/quotas";
import type { ExportResponse } from "../../../model/api";
import type { Tone } from "../../../model/run/states";
import { useDeleteExport, useExports, useRefresh } from "../requests";

const STATES: Record<ExportResponse["state"], { word: string; tone: Tone }> = {
  requested: { word: "queued", tone: "busy" },
  writing: { word: "in progress", tone: "busy" },
  ready: { word: "ready", tone: "good" },
  failed: { word: "failed", tone: "bad" },
  expired: { word: "expired", tone: "idle" },
};

function Download({ made }: { made: ExportResponse }) {
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
      words={["Download", "Preparing…"]}
      label={`Download the export of ${made.created_at}`}
      act={open}
      kind="primary"
    />
  );
}

function Delete({ made }: { made: ExportResponse }) {
  const remove = useDeleteExport();
  return (
    <ConfirmedAction
      opener="Delete…"
      label={`Delete the export of ${made.created_at}`}
      title="Delete the export?"
      words={["Delete export", "Deleting…"]}
      keep="Keep it"
      act={() => remove(made.id)}
    >
      <p>
        {made.state === "ready"
          ? "The file is deleted, and existing download links stop working."
          : "The export is removed from the list; it has no file."}
      </p>
    </ConfirmedAction>
  );
}

function Actions({ made }: { made: ExportResponse }) {
  const begun = made.state === "requested" || made.state === "writing";
  return (
    <div className="row end">
      {made.state === "ready" ? <Download made={made} /> : null}
      {begun ? null : <Delete made={made} />}
    </div>
  );
}

function ExportTable({ exports }: { exports: readonly ExportResponse[] }) {
  return (
    <Scroll label="Table of exports">
      <table>
        <thead>
          <tr>
            <th>Requested (UTC)</th>
            <th>By</th>
            <th>State</th>
            <th className="num">Size</th>
            <th>Available until (UTC)</th>
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

/** Exports of the organisation's data. */
export function Exports({ reason }: { reason: string | null }) {
  const slug = useSlug();
  const refresh = useRefresh();
  const exports = useExports(reason === null);
  const ask = () => unwrap(api.POST("/api/t/{slug}/exports/", { params: { path: { slug } } }));
  return (
    <Panel
      title="Export"
      note="Streams, queries, runs, results, members and the audit log in one file, without passwords, tokens or other secrets"
      actions={
        reason === null ? (
          <ActionButton words={["Create export", "Requesting…"]} act={ask} onDone={() => refresh("exports", "audit")} />
        ) : (
          <ReasonedButton reason={reason}>Create export</ReasonedButton>
        )
      }
      flush
    >
      {reason === null && exports.isPending ? <Waiting>Loading the exports…</Waiting> : null}
      <ErrorNote error={exports.error} onRetry={() => void exports.refetch()} />
      {exports.data?.length === 0 ? (
        <Empty title="No exports yet">
          <p>An export is created in the background. When it is ready, you can download it here for several days.</p>
        </Empty>
      ) : null}
      {exports.data !== undefined && exports.data.length > 0 ? <ExportTable exports={exports.data} /> : null}
      {reason === null ? null : <p className="more quiet small">Only owners can see exports.</p>}
    </Panel>
  );
}
