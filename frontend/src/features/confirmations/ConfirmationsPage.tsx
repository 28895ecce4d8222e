import { Link } from "react-router";
import { Empty, ErrorNote, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { Scroll } from "../../components/page/Scroll";
import { IsoInstant } from "../../components/values/Instant";
import { useSlug } from "../../lib/account/session";
import type { ConfirmationSummary } from "../../model/api";
import { useConfirmations } from "./requests";
import { StatusMark } from "./StatusMark";

function Plans({ plans }: { plans: readonly ConfirmationSummary[] }) {
  const slug = useSlug();
  return (
    <Scroll label="Table of plans" panel>
      <table>
        <thead>
          <tr>
            <th>Plan</th>
            <th>Status</th>
            <th>Requested by</th>
            <th>Requested (UTC)</th>
            <th>Decided by</th>
          </tr>
        </thead>
        <tbody>
          {plans.map((plan) => (
            <tr key={plan.id}>
              <th scope="row">
                <Link to={`/t/${slug}/confirmations/${plan.id}`}>{plan.title}</Link>
              </th>
              <td>
                <StatusMark status={plan.status} />
              </td>
              <td>{plan.requested_by}</td>
              <td>
                <IsoInstant iso={plan.requested_at} />
              </td>
              <td>{plan.decided_by === "" ? "nobody" : plan.decided_by}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Plans of programs that take effect only after a person confirms them. */
export function ConfirmationsPage() {
  const slug = useSlug();
  const plans = useConfirmations();
  return (
    <>
      <PageHead title="Plans to confirm" crumb={{ to: `/t/${slug}/tokens`, label: "Access tokens" }} />
      <p className="quiet">
        Programs, for example assistants, plan changes. A plan takes effect only after a person checks and confirms it.
      </p>
      {plans.isPending ? <Waiting>Loading the plans…</Waiting> : null}
      {plans.isError ? <ErrorNote error={plans.error} onRetry={() => void plans.refetch()} /> : null}
      {plans.data?.length === 0 ? (
        <div className="panel">
          <Empty title="No plans yet">
            <p>
              Create an <Link to={`/t/${slug}/tokens`}>access token</Link> with the scopes view and propose, and connect
              an assistant with <code>punctual mcp</code>.
            </p>
          </Empty>
        </div>
      ) : null}
      {plans.data !== undefined && plans.data.length > 0 ? <Plans plans={plans.data} /> : null}
    </>
  );
}
