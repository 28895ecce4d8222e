import { useState } from "react";
import { Choices } from "../../components/Choices";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { useMay, useMe } from "../../lib/session";
import { NewToken } from "./NewToken";
import { useTokens } from "./requests";
import { MoreTokens, TokenTable } from "./TokenTable";

const WHOSE = [
  ["all", "Everybody's"],
  ["mine", "Mine"],
] as const;

/** The access tokens with which programs sign in: one's own, and those of all for who administers. */
export function TokensPage() {
  const tokens = useTokens();
  const all = useMay("administer");
  const me = useMe().data?.email;
  const [whose, setWhose] = useState<(typeof WHOSE)[number][0]>("all");
  const shown = tokens.data?.filter((each) => whose === "all" || each.person === me);
  return (
    <>
      <PageHead title="Access tokens" actions={<NewToken />} />
      <p className="quiet">
        A token lets a program, such as the client <code>punctual</code>, work in this organisation in your name, with
        at most the token's role. A program that shall outlast you gets a service account.
      </p>
      {all ? (
        <div className="row">
          <Choices label="Whose tokens" options={WHOSE} value={whose} onChange={setWhose} />
        </div>
      ) : null}
      {tokens.isPending ? <Waiting>Loading the tokens…</Waiting> : null}
      {tokens.isError ? <ErrorNote error={tokens.error} onRetry={() => void tokens.refetch()} /> : null}
      {shown?.length === 0 ? (
        <div className="panel">
          <Empty title={whose === "mine" || !all ? "You have no tokens here." : "There are no tokens yet."}>
            <p>Make one for each program that signs in, so that each can be revoked alone.</p>
          </Empty>
        </div>
      ) : null}
      {shown !== undefined && shown.length > 0 ? <TokenTable tokens={shown} holder={all} panel /> : null}
      <MoreTokens tokens={tokens} />
    </>
  );
}
