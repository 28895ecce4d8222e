import { AskedAction } from "../../components/AskedAction";
import { IsoInstant } from "../../components/Instant";
import { Rename } from "../../components/Rename";
import { Scroll } from "../../components/Scroll";
import { api, unwrap } from "../../lib/api";
import { counted } from "../../lib/numbers";
import { useSlug } from "../../lib/session";
import type { TokenShown } from "../../model/api";
import { useRefresh, useRenameToken, type useTokens } from "./requests";

const TONES = { active: "good", expired: "idle", revoked: "idle" } as const;

function Revoke({ token }: { token: TokenShown }) {
  const slug = useSlug();
  const refresh = useRefresh();
  const revoke = async () => {
    await unwrap(api.DELETE("/api/t/{slug}/tokens/{token}/", { params: { path: { slug, token: token.id } } }));
    await refresh("tokens", "service-accounts", "audit");
  };
  return (
    <AskedAction
      reason={null}
      opener="Revoke…"
      label={`Revoke ${token.name}`}
      title={`Revoke ${token.name}?`}
      words={["Revoke the token", "Revoking…"]}
      keep="Keep it"
      act={revoke}
    >
      <p>Whatever signs in with it is refused from now on. A revoked token cannot be taken back into use.</p>
    </AskedAction>
  );
}

function Renaming({ token }: { token: TokenShown }) {
  const rename = useRenameToken();
  return (
    <Rename
      what="the token"
      name={token.name}
      object={`token's name ${token.id}`}
      reason={null}
      listed
      rename={(name) => rename(token.id, name)}
    >
      Whatever signs in with it goes on. The audit log names it by how it begins, {token.prefix}, before and after.
    </Rename>
  );
}

/** What the token may do: its role, and of that only its scopes if it has some; from where, if not from everywhere. */
function Rights({ token }: { token: TokenShown }) {
  return (
    <>
      {token.role}
      {token.scopes.length > 0 ? <span className="quiet">: only {token.scopes.join(", ")}</span> : null}
      {token.allowed_networks.length > 0 ? (
        <p className="quiet small">from {token.allowed_networks.join(", ")}</p>
      ) : null}
    </>
  );
}

function Holder({ token }: { token: TokenShown }) {
  if (token.service_account === null) return token.person;
  return (
    <>
      {token.service_account} <span className="quiet">service account</span>
    </>
  );
}

function TokenRow({ token, holder }: { token: TokenShown; holder: boolean }) {
  return (
    <tr>
      <th scope="row">{token.name}</th>
      <td>
        <code>{token.prefix}</code>
      </td>
      <td>
        <Rights token={token} />
      </td>
      {holder ? (
        <td>
          <Holder token={token} />
        </td>
      ) : null}
      <td>
        <span className="mark" data-tone={TONES[token.state]}>
          {token.state}
        </span>
      </td>
      <td>
        <IsoInstant iso={token.expires_at} />
      </td>
      <td>{token.last_used_at === null ? "never" : <IsoInstant iso={token.last_used_at} />}</td>
      <td className="num">
        <div className="row end">
          <Renaming token={token} />
          {token.state === "active" ? <Revoke token={token} /> : null}
        </div>
      </td>
    </tr>
  );
}

interface TokenTableProps {
  tokens: readonly TokenShown[];
  /** Whether the table says whose each token is. */
  holder: boolean;
  panel?: boolean;
}

/** Tokens without their secrets, each with what it may do. */
export function TokenTable({ tokens, holder, panel = false }: TokenTableProps) {
  return (
    <Scroll label="Table of access tokens" panel={panel}>
      <table>
        <thead>
          <tr>
            <th>Token</th>
            <th>Begins with</th>
            <th>May</th>
            {holder ? <th>Of</th> : null}
            <th>State</th>
            <th>Expires (UTC)</th>
            <th>Last used (UTC)</th>
            <th>
              <span className="visually-hidden">Rename or revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} holder={holder} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Asks for the tokens that are not listed yet; nothing when all are. */
export function MoreTokens({ tokens }: { tokens: ReturnType<typeof useTokens> }) {
  if (!tokens.hasNextPage) return null;
  return (
    <p className="row">
      <span className="quiet small">{counted(tokens.data?.length ?? 0, "token")} listed; there are more.</span>
      <button
        type="button"
        className="button"
        disabled={tokens.isFetchingNextPage}
        onClick={() => void tokens.fetchNextPage()}
      >
        {tokens.isFetchingNextPage ? "Loading more tokens…" : "More tokens"}
      </button>
    </p>
  );
}
