import { type FormEvent, useState } from "react";
import { Ask } from "../../components/Ask";
import { CheckField, SelectField, TextField } from "../../components/Field";
import { FormEnd } from "../../components/FormEnd";
import { OnceShown } from "../../components/OnceShown";
import { ReasonedButton } from "../../components/Reasoned";
import { useOrganisation, usePermissionMatrix } from "../../lib/session";
import type { Permission, PermissionMatrix, Role, ServiceAccountShown } from "../../model/api";
import { rolesWithin } from "../../model/reasons";
import { useCreateToken } from "./queries";

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

interface TokenFormProps {
  account: ServiceAccountShown | null;
  onMade: (token: string) => void;
  onCancel: () => void;
}

function TokenForm({ account, onMade, onCancel }: TokenFormProps) {
  const creating = useCreateToken(account?.id ?? null);
  const matrix = usePermissionMatrix().data;
  const mine = useOrganisation()?.role ?? "viewer";
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>(account?.role ?? "viewer");
  const [scopes, setScopes] = useState<Permission[]>([]);
  const [days, setDays] = useState<(typeof LENGTHS)[number][0]>("90");
  const [networks, setNetworks] = useState("");
  const own = rolesWithin(matrix, mine);
  const roles = account === null ? own : rolesWithin(matrix, account.role).filter((each) => own.includes(each));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const allowed_networks = networks.split(/[\s,]+/).filter(Boolean);
    creating.mutate(
      { name: name.trim(), role, expires_in_days: Number(days), allowed_networks, scopes },
      { onSuccess: (made) => onMade(made.token) },
    );
  };
  const chooseRole = (chosen: Role) => {
    setScopes([]);
    setRole(chosen);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField label="Name" value={name} onChange={setName} required help="What signs in with it, such as nightly." />
      <SelectField
        label="Role"
        value={role}
        options={roles.map((each) => [each, each] as const)}
        onChange={chooseRole}
        help={account === null ? "It may never do more than you may yourself." : `At most that of ${account.name}.`}
      />
      <Scopes matrix={matrix} role={role} scopes={scopes} onChange={setScopes} />
      <SelectField label="Expires after" value={days} options={LENGTHS} onChange={setDays} />
      <TextField
        label="Networks"
        value={networks}
        onChange={setNetworks}
        mono
        help="Where it may be used from, such as 192.0.2.0/24, 2001:db8::/32. Empty: from everywhere."
      />
      <FormEnd words={["Make the token", "Making it…"]} asking={creating} onCancel={onCancel} />
    </form>
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
