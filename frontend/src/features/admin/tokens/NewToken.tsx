import { useState } from "react";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { OneTimeSecret } from "../../../components/actions/OneTimeSecret";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { DraftGuard } from "../../../components/forms/DraftGuard";
import { CheckField, SelectField, TextField } from "../../../components/forms/Field";
import { FaultyForm } from "../../../components/forms/FieldFaults";
import { FormButtons } from "../../../components/forms/FormEnd";
import { useOrganisation, usePermissionMatrix } from "../../../lib/account/session";
import { useDrafted } from "../../../lib/drafts/drafts";
import { rolesWithin } from "../../../messages/organisation/reasons";
import type { Permission, PermissionMatrix, Role, ServiceAccountResponse, TokenBody } from "../../../model/api";
import { useCreateToken } from "../requests";

const LENGTHS = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "365 days"],
] as const;

interface ScopesProps {
  matrix: PermissionMatrix | undefined;
  role: Role;
  scopes: readonly Permission[];
  onChange: (scopes: Permission[]) => void;
}

/** A subset of the role's permissions; an empty selection means all of them. */
function Scopes({ matrix, role, scopes, onChange }: ScopesProps) {
  const may = matrix?.roles.find((each) => each.role === role)?.permissions ?? [];
  const offered = matrix?.permissions.filter(({ permission }) => may.includes(permission)) ?? [];
  return (
    <fieldset className="group stack">
      <legend>Scopes</legend>
      <p className="quiet small">None selected: all permissions of the role.</p>
      {offered.map(({ permission, allows }) => (
        <CheckField
          key={permission}
          label={`${permission}: ${allows}`}
          checked={scopes.includes(permission)}
          onChange={(on) => onChange(on ? [...scopes, permission] : scopes.filter((each) => each !== permission))}
        />
      ))}
    </fieldset>
  );
}

interface TokenTyped {
  name: string;
  role: Role;
  scopes: readonly Permission[];
  days: (typeof LENGTHS)[number][0];
  networks: string;
}

interface TokenFormProps {
  account: ServiceAccountResponse | null;
  onMade: (token: string) => void;
  onCancel: () => void;
}

function begun(account: ServiceAccountResponse | null): TokenTyped {
  return { name: "", role: account?.role ?? "viewer", scopes: [], days: "90", networks: "" };
}

function bodyOf({ name, role, scopes, days, networks }: TokenTyped): TokenBody {
  const allowed_networks = networks.split(/[\s,]+/).filter(Boolean);
  return { name: name.trim(), role, expires_in_days: Number(days), allowed_networks, scopes: [...scopes] };
}

function TokenForm({ account, onMade, onCancel }: TokenFormProps) {
  const creating = useCreateToken(account?.id ?? null);
  const matrix = usePermissionMatrix().data;
  const mine = useOrganisation()?.role ?? "viewer";
  const draft = useDrafted(`token ${account?.id ?? "mine"}`, begun(account));
  const { name, role, scopes, days, networks } = draft.value;
  const change = (part: Partial<TokenTyped>) => draft.change({ ...draft.value, ...part });
  const own = rolesWithin(matrix, mine);
  const roles = account === null ? own : rolesWithin(matrix, account.role).filter((each) => own.includes(each));
  const submit = () => {
    if (creating.isPending) return;
    const onSuccess = (made: { token: string }) => {
      draft.done();
      onMade(made.token);
    };
    creating.mutate(bodyOf(draft.value), { onSuccess });
  };
  const cancel = () => {
    draft.done();
    onCancel();
  };
  return (
    <FaultyForm error={creating.error} paths={["name", "role", "scopes", "allowed_networks"]} onSubmit={submit}>
      <DraftGuard draft={draft} />
      <TextField
        label="Name"
        path="name"
        value={name}
        onChange={(next) => change({ name: next })}
        required
        help="The program that uses it, for example nightly."
      />
      <SelectField
        label="Role"
        path="role"
        value={role}
        options={roles.map((each) => [each, each] as const)}
        onChange={(chosen) => change({ role: chosen, scopes: [] })}
        help={account === null ? "It never has more permissions than you." : `At most the role of ${account.name}.`}
      />
      <Scopes matrix={matrix} role={role} scopes={scopes} onChange={(next) => change({ scopes: next })} />
      <SelectField label="Expires after" value={days} options={LENGTHS} onChange={(next) => change({ days: next })} />
      <TextField
        label="Networks"
        path="allowed_networks"
        value={networks}
        onChange={(next) => change({ networks: next })}
        mono
        help="Where it can be used, for example 192.0.2.0/24, 2001:db8::/32. Empty: anywhere."
      />
      <FormButtons words={["Create token", "Creating…"]} isPending={creating.isPending} onCancel={cancel} />
    </FaultyForm>
  );
}

interface NewTokenProps {
  /** The token's owner; without it, the signed-in person. */
  account?: ServiceAccountResponse;
  reason?: string | null;
}

/** Create a token and show it once. */
export function NewToken({ account, reason = null }: NewTokenProps) {
  const [open, setOpen] = useState(false);
  const [token, setToken] = useState<string | null>(null);
  const close = () => {
    setOpen(false);
    setToken(null);
  };
  return (
    <>
      <ReasonedButton reason={reason} kind="primary" onClick={() => setOpen(true)}>
        New token
      </ReasonedButton>
      <ModalDialog
        title={account === undefined ? "New access token" : `New token of ${account.name}`}
        open={open}
        onClose={close}
      >
        {token === null ? (
          <TokenForm account={account ?? null} onMade={setToken} onCancel={close} />
        ) : (
          <OneTimeSecret secret={token} what="the token" onDone={close}>
            Copy the token now. It won't be shown again.
          </OneTimeSecret>
        )}
      </ModalDialog>
    </>
  );
}
