import { useParams } from "react-router";
import { ActionButton } from "../../components/actions/ActionButton";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { ErrorNote, Notice, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { Panel } from "../../components/page/Panel";
import { UnifiedDifference } from "../../components/values/Difference";
import { IsoInstant } from "../../components/values/Instant";
import { useReason, useSlug } from "../../lib/account/session";
import type { ConfirmationResponse } from "../../model/api";
import { useConfirmation, useDecide } from "./requests";
import { StatusMark } from "./StatusMark";

const ACTIONS = { create: "Create", update: "Change", delete: "Delete", unchanged: "Keep" } as const;

function Facts({ plan }: { plan: ConfirmationResponse }) {
  return (
    <dl className="facts">
      <dt>Requested by</dt>
      <dd>
        {plan.requested_by}
        {plan.token === "" ? null : (
          <>
            , with the token <code>{plan.token}</code>
          </>
        )}
      </dd>
      <dt>Requested (UTC)</dt>
      <dd>
        <IsoInstant iso={plan.requested_at} />
      </dd>
      {plan.decided_at === null ? null : (
        <>
          <dt>{plan.status === "refused" ? "Refused by" : "Confirmed by"}</dt>
          <dd>
            {plan.decided_by}, <IsoInstant iso={plan.decided_at} />
          </dd>
        </>
      )}
      {plan.carried_out_at === null ? null : (
        <>
          <dt>Carried out (UTC)</dt>
          <dd>
            <IsoInstant iso={plan.carried_out_at} />
          </dd>
        </>
      )}
      {plan.status === "pending" || plan.status === "confirmed" ? (
        <>
          <dt>Expires (UTC)</dt>
          <dd>
            <IsoInstant iso={plan.expires_at} />
          </dd>
        </>
      ) : null}
    </dl>
  );
}

function Effect({ plan }: { plan: ConfirmationResponse }) {
  return (
    <Panel title="Effect">
      <ul>
        {plan.sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Panel>
  );
}

function Changes({ plan }: { plan: ConfirmationResponse }) {
  return plan.changes.map((change) => {
    const title = `${ACTIONS[change.action]} the ${change.kind} ${change.name}`;
    return (
      <Panel key={title} title={title}>
        <UnifiedDifference diff={change.diff} label={`Changes of ${change.name}`} />
      </Panel>
    );
  });
}

function Decision({ plan }: { plan: ConfirmationResponse }) {
  const decide = useDecide(plan.id);
  const reason = useReason(plan.permission);
  if (plan.status === "pending" && reason !== null) {
    return (
      <ReasonedButton reason={reason} kind="primary" onClick={() => undefined}>
        Confirm plan
      </ReasonedButton>
    );
  }
  if (plan.status === "pending") {
    return (
      <>
        <ActionButton words={["Confirm plan", "Confirming…"]} act={() => decide(true)} kind="primary" />
        <ActionButton words={["Refuse plan", "Refusing…"]} act={() => decide(false)} />
      </>
    );
  }
  return null;
}

const NEXT = {
  pending: "Nothing changes until you confirm this plan and the program carries it out. Check the whole effect first.",
  confirmed: "Confirmed. The program can now carry out this plan once, if nothing has changed since it was planned.",
  refused: "Refused. This plan can't be carried out any more.",
  carried_out: "The program carried out this plan.",
  expired: "This plan expired before it was carried out. Let the program plan again.",
} as const;

const TONES = { pending: "busy", confirmed: "busy", refused: "idle", carried_out: "good", expired: "idle" } as const;

function Plan({ plan }: { plan: ConfirmationResponse }) {
  return (
    <div className="stack">
      <Notice tone={TONES[plan.status]}>
        <p>{NEXT[plan.status]}</p>
      </Notice>
      <Facts plan={plan} />
      <Effect plan={plan} />
      <Changes plan={plan} />
    </div>
  );
}

/** A plan of a program, with its whole effect, for a person to confirm or refuse. */
export function ConfirmationPage() {
  const slug = useSlug();
  const loaded = useConfirmation(useParams().confirmation ?? "");
  const plan = loaded.data;
  const crumb = { to: `/t/${slug}/confirmations`, label: "Plans to confirm" };
  if (plan === undefined) {
    return (
      <>
        <PageHead title="Plan" crumb={crumb} />
        {loaded.isError ? (
          <ErrorNote error={loaded.error} onRetry={() => void loaded.refetch()} />
        ) : (
          <Waiting>Loading the plan…</Waiting>
        )}
      </>
    );
  }
  return (
    <>
      <PageHead
        title={plan.title}
        crumb={crumb}
        beside={<StatusMark status={plan.status} />}
        actions={<Decision plan={plan} />}
      />
      <Plan plan={plan} />
    </>
  );
}
