import { ActionButton } from "../../components/ActionButton";
import { AskedAction } from "../../components/AskedAction";
import { Rename } from "../../components/Rename";
import { api, unwrap } from "../../lib/api";
import { counted } from "../../lib/numbers";
import { useSlug } from "../../lib/session";
import type { Role, ServiceAccountShown } from "../../model/api";
import { useRefresh, useReplaceServiceAccount } from "./requests";

/** Why I may not deal with a service account; null if I may. */
export function ruleReason(account: ServiceAccountShown, mine: Role, roles: readonly Role[]): string | null {
  if (roles.includes(account.role)) return null;
  return `A service account with the role ${account.role} may do more than your role ${mine}; owner may change it.`;
}

export function AccountState({ account }: { account: ServiceAccountShown }) {
  return (
    <span className="mark" data-tone={account.disabled ? "idle" : "good"}>
      {account.disabled ? "switched off" : "on"}
    </span>
  );
}

interface PartProps {
  account: ServiceAccountShown;
  reason: string | null;
}

/** Switches a service account off, which is asked for first, or on again. */
export function SwitchAccount({ account, reason }: PartProps) {
  const replacing = useReplaceServiceAccount();
  const turn = (disabled: boolean) =>
    replacing.mutateAsync({ account: account.id, body: { name: account.name, role: account.role, disabled } });
  if (account.disabled && reason === null) {
    return (
      <ActionButton
        words={["Switch on", "Switching on…"]}
        label={`Switch on ${account.name}`}
        act={() => turn(false)}
      />
    );
  }
  return (
    <AskedAction
      reason={reason}
      opener={account.disabled ? "Switch on" : "Switch off…"}
      label={`Switch ${account.disabled ? "on" : "off"} ${account.name}`}
      title={`Switch ${account.name} off?`}
      words={["Switch it off", "Switching off…"]}
      keep="Leave it on"
      act={() => turn(true)}
    >
      <p>Its tokens are refused until it is switched on again.</p>
    </AskedAction>
  );
}

/** Gives a service account another name. */
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
      Its tokens go on. What it did before stands in the audit log under its old name.
    </Rename>
  );
}

/** Deletes a service account with its tokens. */
export function DeleteAccount({ account, reason, onDone }: PartProps & { onDone?: () => unknown }) {
  const slug = useSlug();
  const refresh = useRefresh();
  return (
    <AskedAction
      reason={reason}
      opener="Delete…"
      label={`Delete ${account.name}`}
      title={`Delete ${account.name}?`}
      words={["Delete the service account", "Deleting it…"]}
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
          ? "It has no token in force."
          : `${counted(account.tokens, "token")} in force can be used no more:`}{" "}
        all of its tokens are deleted with it, and refused from now on. What it did stays in the audit log under its
        name.
      </p>
    </AskedAction>
  );
}
