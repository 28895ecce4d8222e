import { useState } from "react";
import { Ask } from "../../components/Ask";
import { DraftGuard } from "../../components/DraftGuard";
import { CheckField, SelectField, TextField } from "../../components/Field";
import { FaultyForm } from "../../components/FieldFaults";
import { OnceShown } from "../../components/OnceShown";
import { ReasonedButton } from "../../components/Reasoned";
import { useDrafted } from "../../lib/drafts";
import { useOrganisation, usePermissionMatrix } from "../../lib/session";
import type { Permission, PermissionMatrix, Role, ServiceAccountShown, TokenBody } from "../../model/api";
import { rolesWithin } from "../../model/reasons";
import { useCreateToken } from "./requests";

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

/** Of what the role may, only some; none chosen: all of it. */
function Scopes({ matrix, role, scopes, onChange }: ScopesProps) {
  const may = matrix?.roles.find((each) => each.role === role)?.permissions ?? [];
  const offered = matrix?.permissions.filter(({ permission }) => may.includes(permission)) ?? [];
  return (
    <fieldset className="group stack">
      <legend>Scopes</legend>
      <p className="quiet small">None: everything that the role may.</p>
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
  account: ServiceAccountShown | null;
  onMade: (token: string) => void;
  onCancel: () => void;
}

function begun(account: ServiceAccountShown | null): TokenTyped {
  return { name: "", role: account?.role ?? "viewer", scopes: [], days: "90", networks: "" };
}

function bodyOf({ name, role, scopes, days, networks }: TokenTyped): TokenBody {
  const allowed_networks = networks.split(/[\s,]+/).filter(Boolean);
  return { name: name.trim(), role, expires_in_days: Number(days), allowed_networks, scopes: [...scopes] };
}

function End({ busy, onCancel }: { busy: boolean; onCancel: () => void }) {
  return (
    <p className="row">
      <button type="submit" className="button" data-kind="primary" disabled={busy}>
        {busy ? "Making it…" : "Make the token"}
      </button>
      <button type="button" className="button" onClick={onCancel}>
        Cancel
      </button>
    </p>
  );
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
        help="What signs in with it, such as nightly."
      />
      <SelectField
        label="Role"
        path="role"
        value={role}
        options={roles.map((each) => [each, each] as const)}
        onChange={(chosen) => change({ role: chosen, scopes: [] })}
        help={account === null ? "It may never do more than you may yourself." : `At most that of ${account.name}.`}
      />
      <Scopes matrix={matrix} role={role} scopes={scopes} onChange={(next) => change({ scopes: next })} />
      <SelectField label="Expires after" value={days} options={LENGTHS} onChange={(next) => change({ days: next })} />
      <TextField
        label="Networks"
        path="allowed_networks"
        value={networks}
        onChange={(next) => change({ networks: next })}
        mono
        help="Where it may be used from, such as 192.0.2.0/24, 2001:db8::/32. Empty: from everywhere."
      />
      <End busy={creating.isPending} onCancel={cancel} />
    </FaultyForm>
  );
}

interface NewTokenProps {
  /** Whose token it is; mine without one. */
  account?: ServiceAccountShown;
  reason?: string | null;
}

/** Makes a token, and shows it once. */
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
      <Ask
        title={account === undefined ? "New access token" : `New token of ${account.name}`}
        open={open}
        onClose={close}
      >
        {token === null ? (
          <TokenForm account={account ?? null} onMade={setToken} onCancel={close} />
        ) : (
          <OnceShown secret={token} what="the token" onDone={close}>
            This is the only time that the token is shown. Copy it now.
          </OnceShown>
        )}
      </Ask>
    </>
  );
}
