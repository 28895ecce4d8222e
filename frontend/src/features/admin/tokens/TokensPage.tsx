import { useState } from "react";
import { Link } from "react-router";
import { Choices } from "../../../components/actions/Choices";
import { Empty, ErrorNote, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { useMay, useMe, useSlug } from "../../../lib/account/session";
import { useTokens } from "../requests";
import { NewToken } from "./NewToken";
import { MoreTokens, TokenTable } from "./TokenTable";

const WHOSE = [
  ["all", "All"],
  ["mine", "Mine"],
] as const;

/** Access tokens for programs: the user's own, and all tokens for administrators. */
export function TokensPage() {
  const slug = useSlug();
  const tokens = useTokens();
  const all = useMay("administer");
  const me = useMe().data?.email;
  const [whose, setWhose] = useState<(typeof WHOSE)[number][0]>("all");
  const shown = tokens.data?.filter((each) => whose === "all" || each.person === me);
  return (
    <>
      <PageHead title="Access tokens" actions={<NewToken />} />
      <p className="quiet">
        A token lets a program, for example the <code>punctual</code> client, work in this organisation on your behalf,
        limited to the token's role. For a program that must not depend on you, use a service account. An assistant
        needs the scopes view and propose: <Link to={`/t/${slug}/confirmations`}>plans</Link> of such a token take
        effect only after a person confirms them.
      </p>
      {all ? (
        <div className="row">
          <Choices label="Owner" options={WHOSE} value={whose} onChange={setWhose} />
        </div>
      ) : null}
      {tokens.isPending ? <Waiting>Loading the tokens…</Waiting> : null}
      {tokens.isError ? <ErrorNote error={tokens.error} onRetry={() => void tokens.refetch()} /> : null}
      {shown?.length === 0 ? (
        <div className="panel">
          <Empty title={whose === "mine" || !all ? "You have no tokens yet" : "No tokens yet"}>
            <p>Create one for each program, so that you can revoke each separately.</p>
          </Empty>
        </div>
      ) : null}
      {shown !== undefined && shown.length > 0 ? <TokenTable tokens={shown} holder={all} panel /> : null}
      <MoreTokens tokens={tokens} />
    </>
  );
}
