import { ActionButton } from "../../../components/actions/ActionButton";
import { ConfirmedAction } from "../../../components/actions/ConfirmedAction";
import { Rename } from "../../../components/forms/Rename";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { counted } from "../../../lib/numbers";
import type { Role, ServiceAccountResponse } from "../../../model/api";
import { useRefresh, useReplaceServiceAccount } from "../requests";

/** Return why the user can't manage a service account; null if allowed. */
export function ruleReason(account: ServiceAccountResponse, mine: Role, roles: readonly Role[]): string | null {
  if (roles.includes(account.role)) return null;
  return `A service account with the role ${account.role} has more permissions than your role ${mine}; an owner can change it.`;
}

export function AccountState({ account }: { account: ServiceAccountResponse }) {
  return (
    <span className="mark" data-tone={account.disabled ? "idle" : "good"}>
      {account.disabled ? "disabled" : "enabled"}
    </span>
  );
}

interface PartProps {
  account: ServiceAccountResponse;
  reason: string | null;
}

/** Disable a service account after a confirmation, or enable it. */
export function SwitchAccount({ account, reason }: PartProps) {
  const replacing = useReplaceServiceAccount();
  const turn = (disabled: boolean) =>
    replacing.mutateAsync({ account: account.id, body: { name: account.name, role: account.role, disabled } });
  if (account.disabled && reason === null) {
    return <ActionButton words={["Enable", "Enabling…"]} label={`Enable ${account.name}`} act={() => turn(false)} />;
  }
  return (
    <ConfirmedAction
      reason={reason}
      opener={account.disabled ? "Enable" : "Disable…"}
      label={`${account.disabled ? "Enable" : "Disable"} ${account.name}`}
      title={`Disable ${account.name}?`}
      words={["Disable", "Disabling…"]}
      keep="Keep it enabled"
      act={() => turn(true)}
    >
      <p>Its tokens are rejected until you enable it again.</p>
    </ConfirmedAction>
  );
}

/** Rename a service account. */
export function RenameAccount({ account, reason }: PartProps) {
  const replacing = useReplaceServiceAccount();
  const { id, role, disabled } = account;
  return (
    <Rename
      what="the service account"
      name={account.name}
      object={`service account ${id}`}
      reason={reason}
      listed
      rename={(name) => replacing.mutateAsync({ account: id, body: { name, role, disabled } })}
    >
      Its tokens keep working. Earlier actions stay in the audit log under the old name.
    </Rename>
  );
}

/** Delete a service account and its tokens. */
export function DeleteAccount({ account, reason, onDone }: PartProps & { onDone?: () => unknown }) {
  const slug = useSlug();
  const refresh = useRefresh();
  return (
    <ConfirmedAction
      reason={reason}
      opener="Delete…"
      label={`Delete ${account.name}`}
      title={`Delete ${account.name}?`}
      words={["Delete service account", "Deleting…"]}
      keep="Keep it"
      act={async () => {
        const path = { slug, account: account.id };
        await unwrap(api.DELETE("/api/t/{slug}/service-accounts/{account}/", { params: { path } }));
        await onDone?.();
        await refresh("service-accounts", "tokens", "audit");
      }}
    >
      <p>
        {account.tokens === 0
          ? "It has no active tokens."
          : `${counted(account.tokens, "active token")} will stop working.`}{" "}
        All of its tokens are deleted with it. Its actions stay in the audit log under its name.
      </p>
    </ConfirmedAction>
  );
}
