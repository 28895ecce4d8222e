import { ConfirmedAction } from "../../../components/actions/ConfirmedAction";
import { Rename } from "../../../components/forms/Rename";
import { Scroll } from "../../../components/page/Scroll";
import { IsoInstant } from "../../../components/values/Instant";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { counted } from "../../../lib/numbers";
import type { TokenResponse } from "../../../model/api";
import { useRefresh, useRenameToken, type useTokens } from "../requests";

const TONES = { active: "good", expired: "idle", revoked: "idle" } as const;

function Revoke({ token }: { token: TokenResponse }) {
  const slug = useSlug();
  const refresh = useRefresh();
  const revoke = async () => {
    await unwrap(api.DELETE("/api/t/{slug}/tokens/{token}/", { params: { path: { slug, token: token.id } } }));
    await refresh("tokens", "service-accounts", "audit");
  };
  return (
    <ConfirmedAction
      reason={null}
      opener="Revoke…"
      label={`Revoke ${token.name}`}
      title={`Revoke ${token.name}?`}
      words={["Revoke token", "Revoking…"]}
      keep="Keep it"
      act={revoke}
    >
      <p>Programs that use it are rejected from now on. This can't be undone.</p>
    </ConfirmedAction>
  );
}

function Renaming({ token }: { token: TokenResponse }) {
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
      Programs that use it keep working. The audit log identifies it by its prefix, {token.prefix}.
    </Rename>
  );
}

/** The token's permissions: its role, limited to its scopes if it has any, and the networks it may be used from. */
function Rights({ token }: { token: TokenResponse }) {
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

function Holder({ token }: { token: TokenResponse }) {
  if (token.service_account === null) return token.person;
  return (
    <>
      {token.service_account} <span className="quiet">service account</span>
    </>
  );
}

function TokenRow({ token, holder }: { token: TokenResponse; holder: boolean }) {
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
  tokens: readonly TokenResponse[];
  /** True to show the owner of each token. */
  holder: boolean;
  panel?: boolean;
}

/** Tokens without their secrets, each with its permissions. */
export function TokenTable({ tokens, holder, panel = false }: TokenTableProps) {
  return (
    <Scroll label="Table of access tokens" panel={panel}>
      <table>
        <thead>
          <tr>
            <th>Token</th>
            <th>Prefix</th>
            <th>Permissions</th>
            {holder ? <th>Owner</th> : null}
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

/** A button that loads more tokens; renders nothing when all are listed. */
export function MoreTokens({ tokens }: { tokens: ReturnType<typeof useTokens> }) {
  if (!tokens.hasNextPage) return null;
  return (
    <p className="row">
      <span className="quiet small">{counted(tokens.data?.length ?? 0, "token")} listed, more available</span>
      <button
        type="button"
        className="button"
        disabled={tokens.isFetchingNextPage}
        onClick={() => void tokens.fetchNextPage()}
      >
        {tokens.isFetchingNextPage ? "Loading more tokens…" : "Load more tokens"}
      </button>
    </p>
  );
}
