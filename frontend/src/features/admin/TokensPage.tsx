import { useState } from "react";
import { Ask } from "../../components/Ask";
import { IsoInstant } from "../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Scroll } from "../../components/Scroll";
import type { TokenShown } from "../../model/api";
import { NewToken } from "./NewToken";
import { useRevokeToken, useTokens } from "./queries";

const STATES = { active: "active", expired: "expired", revoked: "revoked" } as const;

function Revoke({ token }: { token: TokenShown }) {
  const [open, setOpen] = useState(false);
  const revoking = useRevokeToken();
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)} aria-label={`Revoke ${token.name}`}>
        Revoke…
      </button>
      <Ask title={`Revoke ${token.name}?`} open={open} onClose={close}>
        <p>Whatever signs in with it is refused from now on. A revoked token cannot be taken back into use.</p>
        <ErrorNote error={revoking.error} />
        <p className="row">
          <button
            type="button"
            className="button"
            data-kind="danger"
            disabled={revoking.isPending}
            onClick={() => revoking.mutate(token.id, { onSuccess: close })}
          >
            {revoking.isPending ? "Revoking…" : "Revoke the token"}
          </button>
          <button type="button" className="button" onClick={close}>
            Keep it
          </button>
        </p>
      </Ask>
    </>
  );
}

function TokenRow({ token }: { token: TokenShown }) {
  return (
    <tr>
      <th scope="row">{token.name}</th>
      <td>
        <code>{token.prefix}</code>
      </td>
      <td>{token.role}</td>
      <td>{token.person}</td>
      <td>{STATES[token.state]}</td>
      <td>
        <IsoInstant iso={token.expires_at} />
      </td>
      <td>{token.last_used_at === null ? "never" : <IsoInstant iso={token.last_used_at} />}</td>
      <td className="num">{token.state === "active" ? <Revoke token={token} /> : null}</td>
    </tr>
  );
}

function TokenTable({ tokens }: { tokens: readonly TokenShown[] }) {
  return (
    <Scroll label="Table of access tokens" panel>
      <table>
        <thead>
          <tr>
            <th>Token</th>
            <th>Begins with</th>
            <th>Role</th>
            <th>Of</th>
            <th>State</th>
            <th>Expires (UTC)</th>
            <th>Last used (UTC)</th>
            <th>
              <span className="visually-hidden">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** The access tokens of the organisation with which programs sign in. */
export function TokensPage() {
  const tokens = useTokens();
  return (
    <>
      <PageHead title="Access tokens" actions={<NewToken />} />
      <p className="quiet">
        A token lets a program, such as the client <code>punctual</code>, work in this organisation in your name, with
        at most the token's role.
      </p>
      {tokens.isPending ? <Waiting>Loading the tokens…</Waiting> : null}
      {tokens.isError ? <ErrorNote error={tokens.error} onRetry={() => void tokens.refetch()} /> : null}
      {tokens.data?.length === 0 ? (
        <Empty title="There are no tokens yet.">
          <p>Make one for each program that signs in, so that each can be revoked alone.</p>
        </Empty>
      ) : null}
      {tokens.data !== undefined && tokens.data.length > 0 ? <TokenTable tokens={tokens.data} /> : null}
    </>
  );
}
