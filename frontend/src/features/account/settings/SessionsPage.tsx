import { useQueryClient } from "@tanstack/react-query";
import { ConfirmedAction } from "../../../components/actions/ConfirmedAction";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { askAccount } from "../../../lib/account/authentication";
import { deviceWords } from "../../../messages/organisation/device";
import { SESSIONS, type Session, useListed } from "../requests";
import { Moment } from "./Times";

function useEnd() {
  const queries = useQueryClient();
  return async (sessions: readonly Session[]) => {
    await askAccount("DELETE", SESSIONS, { body: { sessions: sessions.map(({ id }) => id) } });
    await queries.invalidateQueries({ queryKey: ["account", SESSIONS] });
  };
}

function SessionLine({ session }: { session: Session }) {
  const end = useEnd();
  const device = deviceWords(session.user_agent);
  return (
    <li className="line">
      <span className="grow">
        <strong>{device}</strong>
        {session.is_current ? (
          <>
            {" "}
            <span className="mark" data-tone="good">
              this session
            </span>
          </>
        ) : null}
        <br />
        <span className="quiet small">
          from <span className="figures">{session.ip}</span>, last seen{" "}
          <Moment seconds={session.last_seen_at ?? session.created_at} />, signed in{" "}
          <Moment seconds={session.created_at} />
        </span>
      </span>
      {session.is_current ? null : (
        <ConfirmedAction
          opener="End…"
          label={`End the session of ${device}`}
          title={`End the session of ${device}?`}
          words={["End session", "Ending…"]}
          keep="Keep it"
          act={() => end([session])}
        >
          <p>That browser has to sign in again. If it was not you, also change your password.</p>
        </ConfirmedAction>
      )}
    </li>
  );
}

/** A person's sessions. */
export function SessionsPage() {
  const sessions = useListed(SESSIONS);
  const end = useEnd();
  const others = sessions.data?.filter((each) => !each.is_current) ?? [];
  const sorted = [...(sessions.data ?? [])].sort((a, b) => Number(b.is_current) - Number(a.is_current));
  return (
    <>
      <PageHead
        title="Sessions"
        actions={
          others.length === 0 ? null : (
            <ConfirmedAction
              opener="End all others…"
              title="End all other sessions?"
              words={["End all others", "Ending…"]}
              keep="Keep them"
              act={() => end(others)}
            >
              <p>You stay signed in only here.</p>
            </ConfirmedAction>
          )
        }
      />
      <Panel title="Where you are signed in">
        {sessions.isPending ? <Waiting>Loading your sessions…</Waiting> : null}
        <ErrorNote error={sessions.error} onRetry={() => void sessions.refetch()} />
        <ul className="lines">
          {sorted.map((session) => (
            <SessionLine key={session.id} session={session} />
          ))}
        </ul>
      </Panel>
    </>
  );
}
