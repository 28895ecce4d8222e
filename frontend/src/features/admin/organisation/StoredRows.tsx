import { useState } from "react";
import { Link } from "react-router";
import { ConfirmedAction } from "../../../components/actions/ConfirmedAction";
import { IsoInstant } from "../../../components/values/Instant";
import { useReason, useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { counted } from "../../../lib/numbers";
import { useStoredRowsByRun } from "../../../lib/resources/storedRows";
import { bytesWords } from "../../../messages/organisation/quotas";
import { versionWords } from "../../../messages/run/versions";
import type { KeptResponse, RunKeptResponse } from "../../../model/api";
import { useRefresh } from "../requests";

type Kind = "results" | "quarantine";

interface DeletionProps {
  kept: KeptResponse;
  /** Only this run; without it, all runs. */
  run?: RunKeptResponse;
  kind: Kind;
  reason: string | null;
  onDeleted: (words: string) => void;
}

function Deletion({ kept, run, kind, reason, onDeleted }: DeletionProps) {
  const slug = useSlug();
  const refresh = useRefresh();
  const what = run === undefined ? kept.name : `one run of ${kept.name}`;
  const remove = async () => {
    const query = run?.run ? { kind, run: run.run } : { kind };
    const params = { path: { slug, binding: kept.binding }, query };
    const { rows, bytes } = await unwrap(api.DELETE("/api/t/{slug}/bindings/{binding}/results/", { params }));
    onDeleted(`${counted(rows, "row")} of ${what} deleted; ${bytesWords(bytes)} freed.`);
    await refresh("kept", "quotas", "audit");
  };
  return (
    <ConfirmedAction
      reason={reason}
      opener="Delete…"
      label={`Delete the ${kind} of ${what}`}
      title={`Delete the ${kind} of ${what}?`}
      words={[`Delete the ${kind}`, "Deleting…"]}
      keep="Keep them"
      act={remove}
    >
      <p>
        All rows stored so far are deleted permanently. A later start resumes where the last run stopped and does not
        produce them again.
      </p>
    </ConfirmedAction>
  );
}

interface AmountProps extends Omit<DeletionProps, "reason"> {
  bytes: number;
  /** The reason why it can't be deleted; null if it can. */
  busy: string | null;
}

function Amount({ bytes, busy, ...deletion }: AmountProps) {
  const edit = useReason("edit");
  return (
    <div className="row end">
      <span className="figures nowrap">{bytesWords(bytes)}</span>
      {bytes === 0 ? null : <Deletion {...deletion} reason={edit ?? busy} />}
    </div>
  );
}

function RunName({ run }: { run: RunKeptResponse }) {
  const slug = useSlug();
  if (run.run === null) return <span className="quiet">from before runs were tracked</span>;
  if (run.started_at === null) return <span className="quiet">a run of a deleted binding</span>;
  return (
    <>
      <Link to={`/t/${slug}/runs/${run.run}`}>
        <IsoInstant iso={run.started_at} />
      </Link>{" "}
      <span className="quiet">· {versionWords(run.query_version)}</span>
    </>
  );
}

interface StoredProps {
  kept: KeptResponse;
  running: boolean;
  onDeleted: (words: string) => void;
}

function RunRow({ run, kept, onDeleted }: Pick<StoredProps, "kept" | "onDeleted"> & { run: RunKeptResponse }) {
  const busy = run.open
    ? "This run is still active. Stop it first."
    : run.run === null
      ? "The run of these rows is unknown. Delete them together with all rows of the binding."
      : null;
  const shared = { kept, run, busy, onDeleted };
  return (
    <tr>
      <th scope="row" className="inset">
        <RunName run={run} />{" "}
        <span className="quiet">
          · {counted(run.results, "result")}, {counted(run.quarantine, "late or malformed row")}
        </span>
      </th>
      <td className="num">
        <Amount kind="results" bytes={run.result_bytes} {...shared} />
      </td>
      <td className="num">
        <Amount kind="quarantine" bytes={run.quarantine_bytes} {...shared} />
      </td>
    </tr>
  );
}

/** The rows stored for a binding; on request, listed by run. */
export function StoredRows({ kept, running, onDeleted }: StoredProps) {
  const [open, setOpen] = useState(false);
  const runs = useStoredRowsByRun(kept.binding, open);
  const of = (kind: Kind) => (running ? `${kept.name} is running. Stop it first, then delete its ${kind}.` : null);
  return (
    <>
      <tr>
        <th scope="row">
          {kept.name}{" "}
          {kept.exists ? null : (
            <span className="mark" data-tone="idle">
              deleted binding
            </span>
          )}
          {running ? (
            <span className="mark" data-tone="good">
              runs
            </span>
          ) : null}{" "}
          <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Total" : "By run"}
          </button>
        </th>
        <td className="num">
          <Amount kind="results" bytes={kept.result_bytes} kept={kept} busy={of("results")} onDeleted={onDeleted} />
        </td>
        <td className="num">
          <Amount
            kind="quarantine"
            bytes={kept.quarantine_bytes}
            kept={kept}
            busy={of("quarantine")}
            onDeleted={onDeleted}
          />
        </td>
      </tr>
      {open
        ? runs.map((run) => <RunRow key={run.run ?? "unknown"} run={run} kept={kept} onDeleted={onDeleted} />)
        : null}
    </>
  );
}
