import { useState } from "react";
import { Link } from "react-router";
import { AskedAction } from "../../components/AskedAction";
import { IsoInstant } from "../../components/Instant";
import { api, unwrap } from "../../lib/api";
import { useKeptByRun } from "../../lib/keptByRun";
import { counted } from "../../lib/numbers";
import { useReason, useSlug } from "../../lib/session";
import type { KeptShown, RunKeptShown } from "../../model/api";
import { bytesWords } from "../../model/quotas";
import { versionWords } from "../../model/versions";
import { useRefresh } from "./requests";

type Kind = "results" | "quarantine";

interface DeletionProps {
  kept: KeptShown;
  /** Of this run alone; of all runs where there is none. */
  run?: RunKeptShown;
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
    onDeleted(`${counted(rows, "row")} of ${what} deleted: ${bytesWords(bytes)} are free again.`);
    await refresh("kept", "quotas", "audit");
  };
  return (
    <AskedAction
      reason={reason}
      opener="Delete…"
      label={`Delete the ${kind} of ${what}`}
      title={`Delete the ${kind} of ${what}?`}
      words={[`Delete the ${kind}`, "Deleting…"]}
      keep="Keep them"
      act={remove}
    >
      <p>
        All of it that is kept now is deleted and cannot be brought back: a later start goes on where the last run
        stopped, and what was deleted does not come again.
      </p>
    </AskedAction>
  );
}

interface AmountProps extends Omit<DeletionProps, "reason"> {
  bytes: number;
  /** Why it cannot be deleted; null if it can. */
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

function RunName({ run }: { run: RunKeptShown }) {
  const slug = useSlug();
  if (run.run === null) return <span className="quiet">from before runs were told apart</span>;
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

interface KeptProps {
  kept: KeptShown;
  running: boolean;
  onDeleted: (words: string) => void;
}

function RunRow({ run, kept, onDeleted }: Pick<KeptProps, "kept" | "onDeleted"> & { run: RunKeptShown }) {
  const busy = run.open
    ? "This run has not ended. Stop it first."
    : run.run === null
      ? "Nobody knows which run made these rows: they go with all of the binding."
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

/** What a binding keeps, and where it is asked for, what of it is each run's. */
export function KeptRows({ kept, running, onDeleted }: KeptProps) {
  const [open, setOpen] = useState(false);
  const runs = useKeptByRun(kept.binding, open);
  const of = (kind: Kind) => (running ? `${kept.name} runs. Stop it first, then delete its ${kind}.` : null);
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
            {open ? "All together" : "By run"}
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
