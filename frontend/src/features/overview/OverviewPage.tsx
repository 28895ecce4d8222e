import type { ReactNode } from "react";
import { Link } from "react-router";
import { IsoInstant } from "../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import { StateMark } from "../../components/StateMark";
import { useContents } from "../../lib/contents";
import { counted } from "../../lib/numbers";
import { useOrganisation, useSlug } from "../../lib/session";
import { useTour } from "../../lib/tour";
import type { BindingShown } from "../../model/api";
import { type Contents, type NextStep, runningBindings, stepsOf, troubledBindings } from "../../model/overview";
import { NOT_BEGUN } from "../../model/tour";

function BindingTable({ label, bindings }: { label: string; bindings: readonly BindingShown[] }) {
  const slug = useSlug();
  return (
    <Scroll label={label}>
      <table>
        <thead>
          <tr>
            <th>Binding</th>
            <th>State</th>
            <th>Query</th>
            <th>Started (UTC)</th>
            <th>Message</th>
          </tr>
        </thead>
        <tbody>
          {bindings.map(({ id, name, query_name, query_version_number, latest_run }) => (
            <tr key={id}>
              <th scope="row">
                {latest_run === null ? name : <Link to={`/t/${slug}/runs/${latest_run.id}`}>{name}</Link>}
              </th>
              <td>
                {latest_run === null ? null : (
                  <StateMark observed={latest_run.observed} since={latest_run.changed_at} />
                )}
              </td>
              <td className="nowrap">
                {query_name} v{query_version_number}
              </td>
              <td>{latest_run === null ? null : <IsoInstant iso={latest_run.created_at} />}</td>
              <td className="message">{latest_run?.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Step({ step, isNext }: { step: NextStep; isNext: boolean }) {
  const slug = useSlug();
  return (
    <li {...(isNext ? { "aria-current": "step" as const } : {})}>
      <span className="step-mark" aria-hidden="true">
        {step.done ? "✓" : isNext ? "→" : ""}
      </span>
      <span>
        <strong>{step.title}</strong> {step.words} {step.done ? <span className="quiet">Done.</span> : null}
      </span>
      {isNext ? (
        <Link className="button" data-kind="primary" to={`/t/${slug}/${step.to}`}>
          {step.action}
        </Link>
      ) : null}
    </li>
  );
}

function Steps({ contents }: { contents: Contents }) {
  const steps = stepsOf(contents);
  const next = steps.find((step) => !step.done);
  if (next === undefined) return null;
  return (
    <Panel title="From events to results" note="Four steps; the next one is marked.">
      <ol className="steps">
        {steps.map((step) => (
          <Step key={step.title} step={step} isNext={step === next} />
        ))}
      </ol>
    </Panel>
  );
}

function Running({ bindings }: { bindings: readonly BindingShown[] }) {
  const slug = useSlug();
  const running = runningBindings(bindings);
  return (
    <Panel title="What runs" flush>
      {running.length === 0 ? (
        <Empty title="Nothing runs.">
          {bindings.length === 0 ? (
            <p>The steps above lead to the first run.</p>
          ) : (
            <p>
              <Link to={`/t/${slug}/runs`}>Start a binding</Link>
            </p>
          )}
        </Empty>
      ) : (
        <BindingTable label="Table of what runs" bindings={running} />
      )}
    </Panel>
  );
}

function Attention({ bindings }: { bindings: readonly BindingShown[] }) {
  const troubled = troubledBindings(bindings);
  return (
    <Panel title="What needs attention" flush={troubled.length > 0}>
      {troubled.length === 0 ? (
        <p>Nothing: no run has failed or is out of sight.</p>
      ) : (
        <BindingTable label="Table of what needs attention" bindings={troubled} />
      )}
    </Panel>
  );
}

function Counts({ contents }: { contents: Contents }) {
  const slug = useSlug();
  const links: readonly (readonly [string, ReactNode])[] = [
    ["streams", counted(contents.streams.length, "stream")],
    ["queries", counted(contents.queries.length, "query", "queries")],
    ["runs", counted(contents.bindings.length, "binding")],
  ];
  return (
    <p className="row">
      {links.map(([to, words]) => (
        <Link key={to} to={`/t/${slug}/${to}`}>
          {words}
        </Link>
      ))}
      <Link to="/guide">Guide</Link>
      <Link to="/api/">API</Link>
    </p>
  );
}

function TourOffer() {
  const { state, begin, open, change } = useTour(useSlug());
  if (!state.offered || state.open) return null;
  const begun = state.step !== NOT_BEGUN.step;
  return (
    <Panel title={begun ? "Your tour waits" : "New to streams?"}>
      <div className="stack">
        <p>
          {begun
            ? "Go on where you left it."
            : "The tour leads from a stream whose rows come late to a running query of your own. It takes some minutes, and can be left at any time."}
        </p>
        <p className="row">
          <button type="button" className="button" data-kind="primary" onClick={begun ? open : begin}>
            {begun ? "Go on with the tour" : "Take the tour"}
          </button>
          <button type="button" className="button" onClick={() => change({ offered: false })}>
            Do not offer it again
          </button>
          <span className="quiet small">It stays in the menu “?”.</span>
        </p>
      </div>
    </Panel>
  );
}

/** Where one is after signing in: the organisation, what runs, what needs somebody, and what to do next. */
export function OverviewPage() {
  const organisation = useOrganisation();
  const { streams, queries, bindings } = useContents();
  const error = streams.error ?? queries.error ?? bindings.error;
  const contents =
    streams.data && queries.data && bindings.data
      ? { streams: streams.data, queries: queries.data, bindings: bindings.data }
      : null;
  return (
    <>
      <PageHead
        title={organisation?.name ?? "Organisation"}
        beside={<span className="mark" data-tone="idle">{`your role: ${organisation?.role ?? "member"}`}</span>}
      />
      <ErrorNote error={error} onRetry={() => void bindings.refetch()} />
      {contents === null ? (
        error === null ? (
          <Waiting>Loading what the organisation has…</Waiting>
        ) : null
      ) : (
        <>
          <Counts contents={contents} />
          <TourOffer />
          <Steps contents={contents} />
          <Attention bindings={contents.bindings} />
          <Running bindings={contents.bindings} />
        </>
      )}
    </>
  );
}
